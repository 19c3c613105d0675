// The fields of a registro (contract.md 4.1), and which column of a file each is likely to be.

const ADDRESS = [
  ["direccion", "dirección completa", "direccion completa"],
  ["calle", "calle", "calle|nombre de la calle|vialidad"],
  ["numero", "número", "numero|num|no|numero exterior|num exterior|no exterior|num ext|no ext"],
  ["colonia", "colonia", "colonia|asentamiento|fraccionamiento"],
  ["codigo_postal", "código postal", "codigo postal|cp|c p|cod postal"],
  ["municipio_o_alcaldia", "municipio o alcaldía", "municipio o alcaldia|municipio|alcaldia|delegacion"],
  ["entidad_federativa", "entidad federativa", "entidad federativa|entidad|estado"],
];

const OWN = [
  ["folio", "Folio", "folio|no folio|num folio|numero de folio|folio interno|id registro|no de folio|orden|no orden|numero de orden|folio de orden"],
  ["curp", "CURP", "curp|clave curp|curp paciente|curp del paciente"],
  ["tipo_evento", "Tipo de evento", "tipo evento|tipo de evento|evento|acto|tipo de acto|acto administrativo"],
  ["fecha_evento", "Fecha del evento", "fecha evento|fecha del evento|fecha de evento|fecha|fecha de toma|fecha toma|fecha de atencion|fecha de registro|fecha de visita"],
  ["descripcion_lugar_evento", "Lugar del evento", "descripcion lugar evento|descripcion del lugar|lugar evento|lugar del evento|sucursal|unidad|sede|lugar"],
  ["nombre", "Nombre", "nombre|nombres|nombre s|nombre paciente|nombre del paciente|nombre de pila"],
  ["primer_apellido", "Primer apellido", "primer apellido|apellido paterno|paterno|ap paterno|apellido 1|apellido1"],
  ["segundo_apellido", "Segundo apellido", "segundo apellido|apellido materno|materno|ap materno|apellido 2|apellido2"],
  ["fecha_nacimiento", "Fecha de nacimiento", "fecha nacimiento|fecha de nacimiento|fec nac|fecha nac|nacimiento|f nacimiento"],
  ["lugar_nacimiento", "Lugar de nacimiento", "lugar nacimiento|lugar de nacimiento|entidad de nacimiento|entidad nacimiento|estado de nacimiento"],
  ["sexo_asignado", "Sexo asignado", "sexo asignado|sexo|genero"],
  ["telefono", "Teléfono", "telefono|tel|celular|telefono celular|movil|telefono de contacto|no de telefono"],
  ["correo", "Correo", "correo|correo electronico|email|e mail|mail"],
];

export const REQUIRED = ["folio", "curp", "tipo_evento", "fecha_evento"];
export const DATES = ["fecha_evento", "fecha_nacimiento"];

export const FIELDS = [
  ...OWN.map(([name, label, names]) => ({ name, label, names: names.split("|") })),
  ...addressFields("domicilio", "Domicilio", ["", "domicilio ", "direccion ", "paciente "]),
  ...addressFields("direccion_evento", "Dirección del evento", ["direccion evento ", "evento ", "sucursal ", "lugar evento "]),
];

function addressFields(address, label, prefixes) {
  return ADDRESS.map(([part, partLabel, names]) => ({
    name: `${address}/${part}`,
    label: `${label}: ${partLabel}`,
    names: names.split("|").flatMap((each) => prefixes.map((prefix) => prefix + each)).concat(part === "direccion" ? [plain(address)] : []),
  }));
}

const byName = new Map(FIELDS.flatMap((field) => [field.name, ...field.names].map((name) => [plain(name), field.name])));

export function labelOf(name) {
  return FIELDS.find((field) => field.name === name)?.label ?? name;
}

// plain is a heading without case, accents, punctuation and the little words.
export function plain(heading) {
  const words = heading.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase().split(/[^a-z0-9]+/);
  return words.filter((word) => word !== "" && !/^(de|del|el|la|los|las)$/.test(word)).join(" ");
}

// matchColumns gives a field, or null, for each heading; of two that mean the same the first has it.
export function matchColumns(headings) {
  const taken = new Set();
  return headings.map((heading) => {
    const field = byName.get(plain(heading)) ?? null;
    if (field === null || taken.has(field)) return null;
    taken.add(field);
    return field;
  });
}

// missing lists the required fields that no column has.
export function missing(mapping) {
  return REQUIRED.filter((name) => !mapping.includes(name));
}

// repeated lists the fields that more than one column has.
export function repeated(mapping) {
  return [...new Set(mapping.filter((name, at) => name !== null && mapping.indexOf(name) !== at))];
}
