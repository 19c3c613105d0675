"""Envía a Enlace los registros de un archivo CSV y sigue lo que Enlace halló. Solo usa la biblioteca estándar (Python 3.9 o posterior).

    export BASE_URL=https://… API_KEY=iis_…
    python3 enlace.py validar registros.csv   # no guarda nada
    python3 enlace.py enviar registros.csv    # puede repetirse sin riesgo
    python3 enlace.py seguir estado           # lo nuevo de las tres listas desde la vez anterior

Cada observación sale en una línea: fila del archivo, folio, gravedad, campo y mensaje, separados por tabuladores.
El código de salida es 2 si se rechazó alguna fila, y 1 si no se pudo terminar.
"""
import csv
import http.client
import io
import json
import os
import random
import re
import sys
import time
import urllib.error
import urllib.request

# El encabezado en su archivo, en minúsculas, y el campo de Enlace. Lo que no está aquí no se envía: así ninguna columna
# con estudios, resultados o diagnósticos sale de su institución.
COLUMNAS = {campo: campo for campo in (
    "folio curp tipo_evento fecha_evento descripcion_lugar_evento nombre primer_apellido segundo_apellido "
    "fecha_nacimiento lugar_nacimiento sexo_asignado telefono correo "
    "domicilio/direccion domicilio/calle domicilio/numero domicilio/colonia domicilio/codigo_postal "
    "domicilio/municipio_o_alcaldia domicilio/entidad_federativa "
    "direccion_evento/direccion direccion_evento/calle direccion_evento/numero direccion_evento/colonia "
    "direccion_evento/codigo_postal direccion_evento/municipio_o_alcaldia direccion_evento/entidad_federativa").split()}
COLUMNAS["fecha de toma"] = "fecha_evento"  # por ejemplo

LOTE = 500         # hasta 5000; con 500 caben en la respuesta diez observaciones por fila
INTENTOS = 10      # con sus esperas, unos diez minutos
LIMITE = 120       # segundos para una respuesta
REPETIBLES = {429, 500, 502, 503, 504}


def pedir(ruta, cuerpo=None, etag=None):
    """Da el código, el ETag y el contenido. Repite lo que puede repetirse: todo envío es idempotente por su folio."""
    cabeceras = {"X-API-Key": os.environ["API_KEY"], "Content-Type": "application/json"}
    if etag:
        cabeceras["If-None-Match"] = etag
    datos = None if cuerpo is None else json.dumps(cuerpo).encode()
    for intento in range(INTENTOS):
        espera = min(2 ** intento, 300) * random.uniform(0.5, 1)
        try:
            solicitud = urllib.request.Request(os.environ["BASE_URL"].rstrip("/") + ruta, datos, cabeceras)
            with urllib.request.urlopen(solicitud, timeout=LIMITE) as respuesta:
                return respuesta.status, respuesta.headers.get("ETag"), json.loads(respuesta.read())
        except urllib.error.HTTPError as error:
            if error.code == 304:
                return 304, etag, None
            if error.code not in REPETIBLES:
                sys.exit(explicar(ruta, error))
            motivo, indicada = error.code, error.headers.get("Retry-After") or ""
            espera = int(indicada) if indicada.isdigit() else espera
        except (OSError, http.client.HTTPException, ValueError) as error:
            motivo = error  # sin respuesta, o cortada: no se sabe si se guardó, y repetir no daña
        print(f"{ruta}: {motivo}; se repite en {espera:.0f} s", file=sys.stderr)
        time.sleep(espera)
    sys.exit(f"{ruta}: no hubo respuesta en {INTENTOS} intentos")


def explicar(ruta, error):
    try:
        problema = json.loads(error.read())
    except ValueError:
        return f"{ruta}: {error.code}"
    lineas = [f"{ruta}: {error.code} {problema.get('codigo')}: {problema.get('detail')} ({problema.get('request_id')})"]
    return "\n".join(lineas + [f"  {e.get('puntero')}: {e.get('mensaje')}" for e in problema.get("errores") or []])


def leer(archivo):
    """Da cada registro con el número de su fila en la hoja de cálculo."""
    with open(archivo, "rb") as abierto:
        crudo = abierto.read()
    try:
        texto = crudo.decode("utf-8-sig")  # con o sin la marca que antepone Excel
    except UnicodeDecodeError:
        texto = crudo.decode("cp1252", "replace")
    separador = max(";,\t", key=texto.partition("\n")[0].count)
    filas = csv.reader(io.StringIO(texto, newline=""), delimiter=separador)
    campos = [COLUMNAS.get(nombre.strip().lower()) for nombre in next(filas, [])]
    faltan = {"folio", "curp", "tipo_evento", "fecha_evento"}.difference(campos)
    if faltan:
        sys.exit(f"{archivo}: faltan las columnas {', '.join(sorted(faltan))}")
    for numero, celdas in enumerate(filas, 2):
        registro = {}
        for campo, valor in zip(campos, celdas):
            if campo and valor.strip():
                poner(registro, campo, valor)
        if registro:
            yield numero, registro


def poner(registro, campo, valor):
    if campo.startswith("fecha_"):  # 31/12/2025, como la escribe Excel en México
        valor = re.sub(r"^\s*(\d{1,2})/(\d{1,2})/(\d{4})", lambda f: f"{f[3]}-{f[2]:0>2}-{f[1]:0>2}", valor)
    *direccion, hoja = campo.split("/")
    destino = registro.setdefault(direccion[0], {}) if direccion else registro
    destino[hoja] = valor


def enviar(archivo, ruta, conteos):
    filas = list(leer(archivo))
    suma = dict.fromkeys(("total", *conteos, "observaciones_omitidas"), 0)
    for inicio in range(0, len(filas), LOTE):
        lote = filas[inicio:inicio + LOTE]
        _, _, respuesta = pedir(ruta, {"registros": [registro for _, registro in lote]})
        for o in respuesta["observaciones"]:
            campo = "/".join(o["puntero"].split("/")[3:])
            print(lote[o["indice"]][0], o["folio"] or "", o["gravedad"], campo, o["mensaje"], sep="\t")
        for conteo in suma:
            suma[conteo] += respuesta[conteo]
    print(", ".join(f"{conteo} {n}" for conteo, n in suma.items()), file=sys.stderr)
    sys.exit(2 if suma[conteos[-1]] else 0)


def seguir(carpeta):
    os.makedirs(carpeta, exist_ok=True)
    for lista in ("casos", "coincidencias", "reportes"):
        archivo = os.path.join(carpeta, lista + ".json")
        antes = {"etag": None, "filas": []}
        if os.path.exists(archivo):
            with open(archivo, encoding="utf-8") as abierto:
                antes = json.load(abierto)
        codigo, etag, filas = pedir("/cliente/" + lista, etag=antes["etag"])
        if codigo == 304:
            continue
        conocidas = {fila["id"]: fila for fila in antes["filas"]}
        for fila in filas:
            if fila != conocidas.get(fila["id"]):
                print(lista, "cambió" if fila["id"] in conocidas else "nuevo", json.dumps(fila, ensure_ascii=False), sep="\t")
        with open(archivo + ".nuevo", "w", encoding="utf-8") as abierto:
            json.dump({"etag": etag, "filas": filas}, abierto, ensure_ascii=False)
        os.replace(archivo + ".nuevo", archivo)  # de una vez: nunca queda un estado a medias


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    accion, argumento = sys.argv[1:] if len(sys.argv) == 3 else ("", "")
    if accion == "validar":
        enviar(argumento, "/cliente/registros/validar", ("validos", "invalidos"))
    elif accion == "enviar":
        enviar(argumento, "/cliente/registros/lote", ("creados", "actualizados", "sin_cambios", "coincidencias", "rechazados"))
    elif accion == "seguir":
        seguir(argumento)
    else:
        sys.exit(__doc__)
