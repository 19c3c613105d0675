// Envía a Enlace los registros de un archivo CSV y sigue lo que Enlace halló. No usa paquetes (Node 20 o posterior).
//
//   export BASE_URL=https://… API_KEY=iis_…
//   node enlace.mjs validar registros.csv   # no guarda nada
//   node enlace.mjs enviar registros.csv    # puede repetirse sin riesgo
//   node enlace.mjs seguir estado           # lo nuevo de las tres listas desde la vez anterior
//
// Cada observación sale en una línea: fila del archivo, folio, gravedad, campo y mensaje, separados por tabuladores.
// El código de salida es 2 si se rechazó alguna fila, y 1 si no se pudo terminar.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as esperar } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

// El encabezado en su archivo, en minúsculas, y el campo de Enlace. Lo que no está aquí no se envía: así ninguna columna
// con estudios, resultados o diagnósticos sale de su institución.
const COLUMNAS = Object.fromEntries(`
  folio curp tipo_evento fecha_evento descripcion_lugar_evento nombre primer_apellido segundo_apellido
  fecha_nacimiento lugar_nacimiento sexo_asignado telefono correo
  domicilio/direccion domicilio/calle domicilio/numero domicilio/colonia domicilio/codigo_postal
  domicilio/municipio_o_alcaldia domicilio/entidad_federativa
  direccion_evento/direccion direccion_evento/calle direccion_evento/numero direccion_evento/colonia
  direccion_evento/codigo_postal direccion_evento/municipio_o_alcaldia direccion_evento/entidad_federativa
`.trim().split(/\s+/).map((campo) => [campo, campo]))
COLUMNAS['fecha de toma'] = 'fecha_evento' // por ejemplo

const LOTE = 500 // hasta 5000; con 500 caben en la respuesta diez observaciones por fila
const INTENTOS = 10 // con sus esperas, unos diez minutos
const LIMITE = 120_000 // milisegundos para una respuesta
const REPETIBLES = [429, 500, 502, 503, 504]

class Problema extends Error {}

// pedir da el código, el ETag y el contenido. Repite lo que puede repetirse: todo envío es idempotente por su folio.
async function pedir(ruta, cuerpo, etag) {
  const headers = { 'X-API-Key': process.env.API_KEY, 'Content-Type': 'application/json' }
  if (etag) headers['If-None-Match'] = etag
  const solicitud = { method: cuerpo ? 'POST' : 'GET', headers, body: cuerpo && JSON.stringify(cuerpo), redirect: 'error' }
  for (let intento = 0; intento < INTENTOS; intento++) {
    let espera = Math.min(2 ** intento, 300) * (0.5 + Math.random() / 2)
    let motivo
    try {
      const respuesta = await fetch(process.env.BASE_URL.replace(/\/+$/, '') + ruta, { ...solicitud, signal: AbortSignal.timeout(LIMITE) })
      if (respuesta.status === 304) return [304, etag, null]
      if (respuesta.ok) return [respuesta.status, respuesta.headers.get('ETag'), await respuesta.json()]
      if (!REPETIBLES.includes(respuesta.status)) throw new Problema(await explicar(ruta, respuesta))
      motivo = respuesta.status
      const indicada = respuesta.headers.get('Retry-After') ?? ''
      if (/^\d+$/.test(indicada)) espera = Number(indicada)
    } catch (error) {
      if (error instanceof Problema) throw error
      motivo = error.cause?.message ?? error.message // sin respuesta, o cortada: no se sabe si se guardó, y repetir no daña
    }
    console.error(`${ruta}: ${motivo}; se repite en ${espera.toFixed()} s`)
    await esperar(espera * 1000)
  }
  throw new Problema(`${ruta}: no hubo respuesta en ${INTENTOS} intentos`)
}

async function explicar(ruta, respuesta) {
  const p = await respuesta.json().catch(() => ({}))
  const lineas = (p.errores ?? []).map((e) => `  ${e.puntero}: ${e.mensaje}`)
  return [`${ruta}: ${respuesta.status} ${p.codigo}: ${p.detail} (${p.request_id})`, ...lineas].join('\n')
}

// celdas parte un CSV en filas; lo que va entre comillas puede llevar separadores, saltos de línea y comillas dobles.
function* celdas(texto, separador) {
  const celda = new RegExp(`("[^"]*(?:""[^"]*)*"|[^${separador}\\r\\n]*)(${separador}|\\r\\n|\\r|\\n|$)`, 'y')
  let fila = []
  while (celda.lastIndex < texto.length) {
    const [, valor, fin] = celda.exec(texto)
    fila.push(/^".*"$/s.test(valor) ? valor.slice(1, -1).replaceAll('""', '"') : valor)
    if (fin !== separador) {
      yield fila
      fila = []
    }
  }
  if (fila.length > 0) yield fila
}

// leer da cada registro con el número de su fila en la hoja de cálculo.
function leer(archivo) {
  const crudo = readFileSync(archivo)
  let texto
  try {
    texto = new TextDecoder('utf-8', { fatal: true }).decode(crudo) // con o sin la marca que antepone Excel
  } catch {
    texto = new TextDecoder('windows-1252').decode(crudo)
  }
  const primera = texto.split('\n', 1)[0]
  const separador = [';', ',', '\t'].reduce((a, b) => (primera.split(b).length > primera.split(a).length ? b : a))
  const [encabezado = [], ...filas] = celdas(texto, separador)
  const campos = encabezado.map((nombre) => COLUMNAS[nombre.trim().toLowerCase()])
  const faltan = ['folio', 'curp', 'tipo_evento', 'fecha_evento'].filter((campo) => !campos.includes(campo))
  if (faltan.length > 0) throw new Problema(`${archivo}: faltan las columnas ${faltan.join(', ')}`)
  return filas.map((fila, n) => [n + 2, registroDe(campos, fila)]).filter(([, registro]) => Object.keys(registro).length > 0)
}

function registroDe(campos, fila) {
  const registro = {}
  campos.forEach((campo, n) => {
    let valor = fila[n] ?? ''
    if (!campo || valor.trim() === '') return
    if (campo.startsWith('fecha_')) { // 31/12/2025, como la escribe Excel en México
      valor = valor.replace(/^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})/, (_, d, m, a) => `${a}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`)
    }
    const [hoja, direccion] = campo.split('/').reverse()
    const destino = direccion ? (registro[direccion] ??= {}) : registro
    destino[hoja] = valor
  })
  return registro
}

async function enviar(archivo, ruta, conteos) {
  const filas = leer(archivo)
  const suma = Object.fromEntries(['total', ...conteos, 'observaciones_omitidas'].map((conteo) => [conteo, 0]))
  for (let inicio = 0; inicio < filas.length; inicio += LOTE) {
    const lote = filas.slice(inicio, inicio + LOTE)
    const [, , respuesta] = await pedir(ruta, { registros: lote.map(([, registro]) => registro) })
    for (const o of respuesta.observaciones) {
      console.log([lote[o.indice][0], o.folio ?? '', o.gravedad, o.puntero.split('/').slice(3).join('/'), o.mensaje].join('\t'))
    }
    for (const conteo in suma) suma[conteo] += respuesta[conteo]
  }
  console.error(Object.entries(suma).map((par) => par.join(' ')).join(', '))
  process.exitCode = suma[conteos.at(-1)] > 0 ? 2 : 0
}

async function seguir(carpeta) {
  mkdirSync(carpeta, { recursive: true })
  for (const lista of ['casos', 'coincidencias', 'reportes']) {
    const archivo = join(carpeta, lista + '.json')
    const antes = existsSync(archivo) ? JSON.parse(readFileSync(archivo, 'utf8')) : { etag: null, filas: [] }
    const [codigo, etag, filas] = await pedir('/cliente/' + lista, null, antes.etag)
    if (codigo === 304) continue
    const conocidas = new Map(antes.filas.map((fila) => [fila.id, fila]))
    for (const fila of filas) {
      if (isDeepStrictEqual(fila, conocidas.get(fila.id))) continue
      console.log([lista, conocidas.has(fila.id) ? 'cambió' : 'nuevo', JSON.stringify(fila)].join('\t'))
    }
    writeFileSync(archivo + '.nuevo', JSON.stringify({ etag, filas }))
    renameSync(archivo + '.nuevo', archivo) // de una vez: nunca queda un estado a medias
  }
}

const [accion, argumento] = process.argv.slice(2)
const acciones = {
  validar: () => enviar(argumento, '/cliente/registros/validar', ['validos', 'invalidos']),
  enviar: () => enviar(argumento, '/cliente/registros/lote', ['creados', 'actualizados', 'sin_cambios', 'coincidencias', 'rechazados']),
  seguir: () => seguir(argumento),
}
try {
  if (!argumento || !acciones[accion]) throw new Problema('uso: node enlace.mjs validar|enviar|seguir ARCHIVO|CARPETA')
  await acciones[accion]()
} catch (error) {
  console.error(error instanceof Problema ? error.message : error)
  process.exitCode = 1
}
