// The record of docs/contract.md 4.1 as JSON schema, without its tolerance.
const text = (maxLength) => ({ type: 'string', maxLength })

const direccion = {
  type: 'object',
  additionalProperties: false,
  properties: {
    direccion: text(500),
    calle: text(50),
    numero: text(20),
    colonia: text(50),
    codigo_postal: { type: 'string', pattern: '^[0-9]{5}$' },
    municipio_o_alcaldia: text(100),
    entidad_federativa: text(40)
  }
}

const registro = {
  type: 'object',
  additionalProperties: false,
  required: ['folio', 'curp', 'tipo_evento', 'fecha_evento'],
  properties: {
    folio: { type: 'string', minLength: 1, maxLength: 64 },
    curp: { type: 'string', pattern: '^[A-Z0-9]{18}$' },
    tipo_evento: { type: 'string', minLength: 1, maxLength: 500 },
    fecha_evento: { type: 'string', format: 'date' },
    descripcion_lugar_evento: text(500),
    direccion_evento: direccion,
    nombre: text(50),
    primer_apellido: text(50),
    segundo_apellido: text(50),
    fecha_nacimiento: { type: 'string', format: 'date' },
    lugar_nacimiento: text(50),
    sexo_asignado: { enum: ['H', 'M', 'X'] },
    telefono: { type: 'string', pattern: '^[0-9]{8,15}$' },
    correo: { type: 'string', format: 'email' },
    domicilio: direccion
  }
}

const count = { type: 'integer' }

export const loteSchema = {
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['registros'],
    properties: { registros: { type: 'array', minItems: 1, maxItems: 5000, items: registro } }
  },
  response: {
    200: {
      type: 'object',
      properties: { total: count, creados: count, actualizados: count, sin_cambios: count, coincidencias: count }
    }
  }
}
