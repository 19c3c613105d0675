// The page sends to the host that it came from, whatever address the document names: its
// content security policy lets it reach no other. The chapters of the guide, which are tags
// without routes, are left to ReDoc.
fetch("openapi.json")
  .then((answer) => answer.json())
  .then((spec) => {
    spec.servers = [{ url: new URL(".", location.href).href.replace(/\/$/, "") }];
    spec.tags = spec.tags.filter((tag) => !tag["x-traitTag"]);
    SwaggerUIBundle({
      spec,
      dom_id: "#documento",
      deepLinking: true,
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      validatorUrl: null,
    });
  });
