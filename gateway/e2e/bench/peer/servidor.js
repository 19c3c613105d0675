// The peer: POST /cliente/registros/lote and /cliente/sandbox/ping as a vendor would write them
// in an afternoon, one process a core. DATABASE_URL and PORT say where.
import cluster from 'node:cluster'
import { createHash } from 'node:crypto'
import os from 'node:os'
import Fastify from 'fastify'
import pg from 'pg'
import { loteSchema } from './esquema.js'

// One statement writes the batch, leaves alone what is unchanged, and opens the matches.
const upsert = {
  name: 'upsert',
  text: `
    WITH escritos AS (
      INSERT INTO registros AS r (empresa_id, folio, curp, tipo_evento, fecha_evento, datos)
      SELECT $1, * FROM ROWS FROM (unnest($2::text[], $3::text[], $4::text[], $5::date[]), jsonb_array_elements($6::jsonb)) AS l
      ON CONFLICT (empresa_id, folio) DO UPDATE SET
        curp = excluded.curp, tipo_evento = excluded.tipo_evento, fecha_evento = excluded.fecha_evento,
        datos = excluded.datos, actualizado_en = now()
      WHERE (r.curp, r.tipo_evento, r.fecha_evento, r.datos)
        IS DISTINCT FROM (excluded.curp, excluded.tipo_evento, excluded.fecha_evento, excluded.datos)
      RETURNING folio, curp, fecha_evento, (xmax = 0) AS creado
    ), halladas AS (
      INSERT INTO coincidencias (empresa_id, caso_id, folio)
      SELECT $1, c.id, e.folio FROM escritos e JOIN casos c ON c.empresa_id = $1 AND c.curp = e.curp
      WHERE NOT c.cerrado AND c.continua_desde <= e.fecha_evento
      ON CONFLICT DO NOTHING RETURNING 1
    )
    SELECT count(*) FILTER (WHERE creado)::int AS creados, count(*) FILTER (WHERE NOT creado)::int AS actualizados,
      (SELECT count(*)::int FROM halladas) AS coincidencias FROM escritos`
}

const keyLife = 1000

function serve () {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
  const app = Fastify({
    logger: true,
    bodyLimit: 16 * 1024 * 1024,
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false } }
  })

  // A key is remembered for a second, as ours is.
  const known = new Map()
  async function empresaOf (key) {
    const remembered = known.get(key)
    if (remembered?.until > Date.now()) return remembered.empresa
    const { rows } = await pool.query('SELECT empresa_id FROM api_keys WHERE hash = $1', [createHash('sha256').update(key).digest()])
    known.set(key, { empresa: rows[0]?.empresa_id, until: Date.now() + keyLife })
    return rows[0]?.empresa_id
  }

  app.decorateRequest('empresa', null)
  app.addHook('onRequest', async (request, reply) => {
    request.empresa = await empresaOf(request.headers['x-api-key'] ?? '')
    if (!request.empresa) return reply.code(401).send({ error: 'credencial inválida' })
  })

  app.post('/cliente/sandbox/ping', async (request) => ({ mensaje: 'pong', id_empresa: request.empresa }))

  app.post('/cliente/registros/lote', { schema: loteSchema }, async (request, reply) => {
    const { registros } = request.body
    if (new Set(registros.map(r => r.folio)).size < registros.length) return reply.code(422).send({ error: 'folio repetido' })
    const columns = [[], [], [], [], []]
    for (const { folio, curp, tipo_evento: tipo, fecha_evento: fecha, ...datos } of registros) {
      [folio, curp, tipo, fecha, datos].forEach((value, n) => columns[n].push(value))
    }
    // pg would escape every quote of a jsonb[] twice, which takes longer than all else together.
    columns[4] = JSON.stringify(columns[4])
    const { rows: [done] } = await pool.query({ ...upsert, values: [request.empresa, ...columns] })
    return { total: registros.length, ...done, sin_cambios: registros.length - done.creados - done.actualizados }
  })

  return app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
}

if (cluster.isPrimary) {
  for (let n = 0; n < os.availableParallelism(); n++) cluster.fork()
  // Without one of them the figures would not be what they say.
  cluster.on('exit', () => process.exit(1))
} else {
  await serve()
}
