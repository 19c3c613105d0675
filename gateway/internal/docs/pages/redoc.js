Redoc.init(
  "openapi.json",
  {
    hideLoading: true,
    pathInMiddlePanel: true,
    sortOperationsAlphabetically: false,
    labels: {
      enum: "Valores",
      enumSingleValue: "Valor",
      default: "Si falta",
      deprecated: "En desuso",
      example: "Ejemplo",
      examples: "Ejemplos",
      arrayOf: "Arreglo de ",
      noResultsFound: "Sin resultados",
      download: "Descargar",
      downloadSpecification: "Descargar el documento OpenAPI",
      responses: "Respuestas",
      requestSamples: "Ejemplos de solicitud",
      responseSamples: "Ejemplos de respuesta",
    },
  },
  document.getElementById("documento"),
);
