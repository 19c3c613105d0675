<?php
// Envía a Enlace los registros de un archivo CSV y sigue lo que Enlace halló. Solo usa las extensiones curl e iconv (PHP 8.1 o posterior).
//
//   export BASE_URL=https://… API_KEY=iis_…
//   php enlace.php validar registros.csv   # no guarda nada
//   php enlace.php enviar registros.csv    # puede repetirse sin riesgo
//   php enlace.php seguir estado           # lo nuevo de las tres listas desde la vez anterior
//
// Cada observación sale en una línea: fila del archivo, folio, gravedad, campo y mensaje, separados por tabuladores.
// El código de salida es 2 si se rechazó alguna fila, y 1 si no se pudo terminar.
declare(strict_types=1);

// El encabezado en su archivo, en minúsculas, y el campo de Enlace. Lo que no está aquí no se envía: así ninguna columna
// con estudios, resultados o diagnósticos sale de su institución.
const CAMPOS = [
    'folio', 'curp', 'tipo_evento', 'fecha_evento', 'descripcion_lugar_evento', 'nombre', 'primer_apellido', 'segundo_apellido',
    'fecha_nacimiento', 'lugar_nacimiento', 'sexo_asignado', 'telefono', 'correo',
    'domicilio/direccion', 'domicilio/calle', 'domicilio/numero', 'domicilio/colonia', 'domicilio/codigo_postal',
    'domicilio/municipio_o_alcaldia', 'domicilio/entidad_federativa',
    'direccion_evento/direccion', 'direccion_evento/calle', 'direccion_evento/numero', 'direccion_evento/colonia',
    'direccion_evento/codigo_postal', 'direccion_evento/municipio_o_alcaldia', 'direccion_evento/entidad_federativa',
];
$columnas = array_combine(CAMPOS, CAMPOS);
$columnas['fecha de toma'] = 'fecha_evento'; // por ejemplo

const LOTE = 500; // hasta 5000; con 500 caben en la respuesta diez observaciones por fila
const INTENTOS = 10; // con sus esperas, unos diez minutos
const LIMITE = 120; // segundos para una respuesta
const REPETIBLES = [429, 500, 502, 503, 504];
const JSON = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR;

// Da el código, el ETag y el contenido. Repite lo que puede repetirse: todo envío es idempotente por su folio.
function pedir(string $ruta, ?array $cuerpo = null, ?string $etag = null): array
{
    $texto = $cuerpo === null ? null : json_encode($cuerpo, JSON);
    for ($intento = 0; $intento < INTENTOS; $intento++) {
        $espera = min(2 ** $intento, 300) * random_int(50, 100) / 100;
        [$codigo, $cabeceras, $contenido, $motivo] = llamar($ruta, $texto, $etag);
        if ($codigo === 304) {
            return [304, $etag, null];
        }
        $respuesta = json_decode($contenido, true);
        if ($codigo === 200 && is_array($respuesta)) {
            return [200, $cabeceras['etag'] ?? null, $respuesta];
        }
        if ($codigo >= 400 && !in_array($codigo, REPETIBLES, true)) {
            terminar(explicar($ruta, $codigo, $respuesta ?? []));
        }
        // Sin respuesta, o cortada, no se sabe si se guardó, y repetir no daña.
        if (ctype_digit($cabeceras['retry-after'] ?? '')) {
            $espera = (int) $cabeceras['retry-after'];
        }
        fprintf(STDERR, "%s: %s; se repite en %.0f s\n", $ruta, $motivo ?: $codigo, $espera);
        usleep((int) ($espera * 1e6));
    }
    terminar(sprintf('%s: no hubo respuesta en %d intentos', $ruta, INTENTOS));
}

function llamar(string $ruta, ?string $texto, ?string $etag): array
{
    $cabeceras = [];
    $enviadas = ['X-API-Key: ' . getenv('API_KEY'), 'Content-Type: application/json'];
    $curl = curl_init(rtrim((string) getenv('BASE_URL'), '/') . $ruta);
    curl_setopt_array($curl, [
        CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => LIMITE,
        CURLOPT_HTTPHEADER => $etag ? [...$enviadas, 'If-None-Match: ' . $etag] : $enviadas,
        CURLOPT_HEADERFUNCTION => function ($_, string $linea) use (&$cabeceras): int {
            [$nombre, $valor] = explode(':', $linea, 2) + [1 => ''];
            $cabeceras[strtolower(trim($nombre))] = trim($valor);
            return strlen($linea);
        },
    ] + ($texto === null ? [] : [CURLOPT_POSTFIELDS => $texto]));
    $contenido = curl_exec($curl);
    $codigo = $contenido === false ? 0 : curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    return [$codigo, $cabeceras, (string) $contenido, curl_error($curl)];
}

function explicar(string $ruta, int $codigo, array $p): string
{
    $lineas = array_map(fn (array $e): string => "  {$e['puntero']}: {$e['mensaje']}", $p['errores'] ?? []);
    return implode("\n", ["$ruta: $codigo " . ($p['codigo'] ?? '') . ': ' . ($p['detail'] ?? '') . ' (' . ($p['request_id'] ?? '') . ')', ...$lineas]);
}

function terminar(string $motivo): never
{
    fwrite(STDERR, $motivo . "\n");
    exit(1);
}

// Da los registros con el número de su fila en la hoja de cálculo.
function leer(string $archivo, array $columnas): array
{
    $texto = @file_get_contents($archivo);
    $texto = $texto === false ? terminar("$archivo: no se puede leer") : preg_replace('/^\xEF\xBB\xBF/', '', $texto); // la marca que antepone Excel
    if (preg_match('//u', $texto) !== 1) {
        $texto = iconv('Windows-1252', 'UTF-8//IGNORE', $texto);
    }
    $hoja = fopen('php://temp', 'r+');
    fwrite($hoja, $texto);
    rewind($hoja);
    $veces = array_map(fn (string $s): int => substr_count(strtok($texto, "\n"), $s), [';' => ';', ',' => ',', "\t" => "\t"]);
    $separador = array_search(max($veces), $veces, true);
    $campos = array_map(fn (?string $nombre): ?string => $columnas[strtolower(trim((string) $nombre))] ?? null, fgetcsv($hoja, null, $separador, '"', ''));
    $faltan = array_diff(['folio', 'curp', 'tipo_evento', 'fecha_evento'], $campos);
    if ($faltan) {
        terminar("$archivo: faltan las columnas " . implode(', ', $faltan));
    }
    $filas = [];
    for ($numero = 2; ($celdas = fgetcsv($hoja, null, $separador, '"', '')) !== false; $numero++) {
        $registro = registroDe($campos, $celdas);
        if ($registro) {
            $filas[] = [$numero, $registro];
        }
    }
    return $filas;
}

function registroDe(array $campos, array $celdas): array
{
    $registro = [];
    foreach ($campos as $n => $campo) {
        $valor = (string) ($celdas[$n] ?? '');
        if ($campo === null || trim($valor) === '') {
            continue;
        }
        if (str_starts_with($campo, 'fecha_')) { // 31/12/2025, como la escribe Excel en México
            $valor = preg_replace_callback('~^\s*(\d{1,2})/(\d{1,2})/(\d{4})~', fn (array $f): string => sprintf('%d-%02d-%02d', $f[3], $f[2], $f[1]), $valor);
        }
        [$hoja, $direccion] = array_reverse(explode('/', $campo)) + [1 => null];
        if ($direccion === null) {
            $registro[$hoja] = $valor;
        } else {
            $registro[$direccion][$hoja] = $valor;
        }
    }
    return $registro;
}

function enviar(array $filas, string $ruta, array $conteos): int
{
    $suma = array_fill_keys(['total', ...$conteos, 'observaciones_omitidas'], 0);
    foreach (array_chunk($filas, LOTE) as $lote) {
        [, , $respuesta] = pedir($ruta, ['registros' => array_column($lote, 1)]);
        foreach ($respuesta['observaciones'] as $o) {
            $campo = implode('/', array_slice(explode('/', $o['puntero']), 3));
            echo implode("\t", [$lote[$o['indice']][0], $o['folio'], $o['gravedad'], $campo, $o['mensaje']]), "\n";
        }
        foreach ($suma as $conteo => $n) {
            $suma[$conteo] = $n + $respuesta[$conteo];
        }
    }
    fwrite(STDERR, implode(', ', array_map(fn (string $conteo): string => "$conteo $suma[$conteo]", array_keys($suma))) . "\n");
    return $suma[end($conteos)] > 0 ? 2 : 0;
}

function seguir(string $carpeta): int
{
    is_dir($carpeta) || mkdir($carpeta, 0700, true);
    foreach (['casos', 'coincidencias', 'reportes'] as $lista) {
        $archivo = "$carpeta/$lista.json";
        $antes = is_file($archivo) ? json_decode(file_get_contents($archivo), true) : ['etag' => null, 'filas' => []];
        [$codigo, $etag, $filas] = pedir("/cliente/$lista", null, $antes['etag']);
        if ($codigo === 304) {
            continue;
        }
        $conocidas = array_column($antes['filas'], null, 'id');
        foreach ($filas as $fila) {
            $conocida = $conocidas[$fila['id']] ?? null;
            if ($fila !== $conocida) {
                echo implode("\t", [$lista, $conocida ? 'cambió' : 'nuevo', json_encode($fila, JSON)]), "\n";
            }
        }
        file_put_contents("$archivo.nuevo", json_encode(['etag' => $etag, 'filas' => $filas], JSON));
        rename("$archivo.nuevo", $archivo); // de una vez: nunca queda un estado a medias
    }
    return 0;
}

[, $accion, $argumento] = $argv + ['', '', ''];
exit(match (true) {
    $argumento === '' => terminar('uso: php enlace.php validar|enviar|seguir ARCHIVO|CARPETA'),
    $accion === 'validar' => enviar(leer($argumento, $columnas), '/cliente/registros/validar', ['validos', 'invalidos']),
    $accion === 'enviar' => enviar(leer($argumento, $columnas), '/cliente/registros/lote', ['creados', 'actualizados', 'sin_cambios', 'coincidencias', 'rechazados']),
    $accion === 'seguir' => seguir($argumento),
    default => terminar("$accion: solo hay validar, enviar y seguir"),
});
