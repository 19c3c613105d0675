// Envía a Enlace los registros de un archivo CSV y sigue lo que Enlace halló. No usa paquetes (.NET 8 o posterior).
//
//   dotnet new console -o enlace && cp Enlace.cs enlace/Program.cs && cd enlace
//   export BASE_URL=https://… API_KEY=iis_…
//   dotnet run -- validar registros.csv   # no guarda nada
//   dotnet run -- enviar registros.csv    # puede repetirse sin riesgo
//   dotnet run -- seguir estado           # lo nuevo de las tres listas desde la vez anterior
//
// Cada observación sale en una línea: fila del archivo, folio, gravedad, campo y mensaje, separados por tabuladores.
// El código de salida es 2 si se rechazó alguna fila, y 1 si no se pudo terminar.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

static class Enlace
{
    // El encabezado en su archivo, en minúsculas, y el campo de Enlace. Lo que no está aquí no se envía: así ninguna columna
    // con estudios, resultados o diagnósticos sale de su institución.
    static readonly Dictionary<string, string> Columnas = (
        "folio curp tipo_evento fecha_evento descripcion_lugar_evento nombre primer_apellido segundo_apellido " +
        "fecha_nacimiento lugar_nacimiento sexo_asignado telefono correo " +
        "domicilio/direccion domicilio/calle domicilio/numero domicilio/colonia domicilio/codigo_postal " +
        "domicilio/municipio_o_alcaldia domicilio/entidad_federativa " +
        "direccion_evento/direccion direccion_evento/calle direccion_evento/numero direccion_evento/colonia " +
        "direccion_evento/codigo_postal direccion_evento/municipio_o_alcaldia direccion_evento/entidad_federativa"
    ).Split(' ').Append("fecha de toma").ToDictionary(c => c, c => c == "fecha de toma" ? "fecha_evento" : c); // por ejemplo

    const int Lote = 500; // hasta 5000; con 500 caben en la respuesta diez observaciones por fila
    const int Intentos = 10; // con sus esperas, unos diez minutos
    static readonly int[] Repetibles = { 429, 500, 502, 503, 504 };
    static readonly HttpClient Cliente = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false }) { Timeout = TimeSpan.FromSeconds(120) };

    class Problema : Exception
    {
        public Problema(string mensaje) : base(mensaje) { }
    }

    // Da el ETag y el contenido, que es null si la lista no cambió. Repite lo que puede repetirse: todo envío es idempotente por su folio.
    static async Task<(string etag, JsonNode contenido)> Pedir(string ruta, JsonNode cuerpo = null, string etag = null)
    {
        for (int intento = 0; intento < Intentos; intento++)
        {
            double espera = Math.Min(Math.Pow(2, intento), 300) * (0.5 + Random.Shared.NextDouble() / 2);
            string motivo;
            try
            {
                using var solicitud = Solicitud(ruta, cuerpo, etag);
                using var respuesta = await Cliente.SendAsync(solicitud);
                int codigo = (int)respuesta.StatusCode;
                if (codigo == 304) return (etag, null);
                string texto = await respuesta.Content.ReadAsStringAsync();
                if (codigo == 200) return (respuesta.Headers.ETag?.ToString(), JsonNode.Parse(texto));
                if (!Repetibles.Contains(codigo)) throw new Problema(Explicar(ruta, codigo, texto));
                motivo = codigo.ToString();
                espera = respuesta.Headers.RetryAfter?.Delta?.TotalSeconds ?? espera; // la cabecera Retry-After
            }
            catch (Exception e) when (e is HttpRequestException || e is TaskCanceledException || e is IOException || e is System.Text.Json.JsonException)
            {
                motivo = e.Message; // sin respuesta, o cortada: no se sabe si se guardó, y repetir no daña
            }
            Console.Error.WriteLine($"{ruta}: {motivo}; se repite en {espera:0} s");
            await Task.Delay(TimeSpan.FromSeconds(espera));
        }
        throw new Problema($"{ruta}: no hubo respuesta en {Intentos} intentos");
    }

    static HttpRequestMessage Solicitud(string ruta, JsonNode cuerpo, string etag)
    {
        string direccion = Environment.GetEnvironmentVariable("BASE_URL").TrimEnd('/') + ruta;
        var solicitud = new HttpRequestMessage(cuerpo == null ? HttpMethod.Get : HttpMethod.Post, direccion);
        solicitud.Headers.Add("X-API-Key", Environment.GetEnvironmentVariable("API_KEY"));
        if (etag != null) solicitud.Headers.TryAddWithoutValidation("If-None-Match", etag);
        if (cuerpo != null) solicitud.Content = new StringContent(cuerpo.ToJsonString(), Encoding.UTF8, "application/json");
        return solicitud;
    }

    static string Explicar(string ruta, int codigo, string texto)
    {
        if (!texto.StartsWith('{')) return $"{ruta}: {codigo}";
        JsonNode p = JsonNode.Parse(texto);
        var lineas = new List<string> { $"{ruta}: {codigo} {p["codigo"]}: {p["detail"]} ({p["request_id"]})" };
        foreach (JsonNode e in p["errores"]?.AsArray() ?? new JsonArray()) lineas.Add($"  {e["puntero"]}: {e["mensaje"]}");
        return string.Join('\n', lineas);
    }

    // Parte un CSV en filas; lo que va entre comillas puede llevar separadores, saltos de línea y comillas dobles.
    static IEnumerable<List<string>> Celdas(string texto, char separador)
    {
        var celda = new Regex($"\\G(\"[^\"]*(?:\"\"[^\"]*)*\"|[^{separador}\\r\\n]*)({separador}|\\r\\n|\\r|\\n|\\z)");
        var fila = new List<string>();
        for (int lugar = 0; lugar < texto.Length;)
        {
            Match m = celda.Match(texto, lugar);
            string valor = m.Groups[1].Value;
            bool citado = valor.Length > 1 && valor[0] == '"' && valor[^1] == '"';
            fila.Add(citado ? valor[1..^1].Replace("\"\"", "\"") : valor);
            lugar += m.Length;
            if (m.Groups[2].Value == separador.ToString()) continue;
            yield return fila;
            fila = new List<string>();
        }
        if (fila.Count > 0) yield return fila;
    }

    // Da cada registro con el número de su fila en la hoja de cálculo.
    static List<(int fila, JsonObject registro)> Leer(string archivo)
    {
        byte[] crudo = File.ReadAllBytes(archivo);
        string texto;
        try
        {
            texto = new UTF8Encoding(false, true).GetString(crudo).TrimStart('\uFEFF'); // la marca que antepone Excel
        }
        catch (DecoderFallbackException)
        {
            Encoding.RegisterProvider(CodePagesEncodingProvider.Instance);
            texto = Encoding.GetEncoding(1252).GetString(crudo);
        }
        string primera = texto.Split('\n')[0];
        char separador = new[] { ';', ',', '\t' }.OrderByDescending(s => primera.Count(c => c == s)).First();
        var filas = Celdas(texto, separador).ToList();
        var campos = filas.Take(1).SelectMany(f => f).Select(n => Columnas.GetValueOrDefault(n.Trim().ToLowerInvariant())).ToList();
        var faltan = new[] { "folio", "curp", "tipo_evento", "fecha_evento" }.Except(campos).ToList();
        if (faltan.Count > 0) throw new Problema($"{archivo}: faltan las columnas {string.Join(", ", faltan)}");
        return filas.Select((celdas, n) => (fila: n + 1, registro: Registro(campos, celdas))).Skip(1).Where(f => f.registro.Count > 0).ToList();
    }

    static JsonObject Registro(List<string> campos, List<string> celdas)
    {
        var registro = new JsonObject();
        foreach (var (campo, celda) in campos.Zip(celdas))
        {
            if (campo == null || celda.Trim() == "") continue;
            string valor = celda;
            if (campo.StartsWith("fecha_")) // 31/12/2025, como la escribe Excel en México
                valor = Regex.Replace(valor, @"^\s*(\d{1,2})/(\d{1,2})/(\d{4})", f => $"{f.Groups[3]}-{f.Groups[2].Value.PadLeft(2, '0')}-{f.Groups[1].Value.PadLeft(2, '0')}");
            string[] partes = campo.Split('/');
            JsonObject destino = registro;
            if (partes.Length > 1)
            {
                if (registro[partes[0]] == null) registro[partes[0]] = new JsonObject();
                destino = registro[partes[0]].AsObject();
            }
            destino[partes[^1]] = valor;
        }
        return registro;
    }

    static async Task<int> Enviar(string archivo, string ruta, params string[] conteos)
    {
        var filas = Leer(archivo);
        var suma = new[] { "total" }.Concat(conteos).Append("observaciones_omitidas").ToDictionary(c => c, c => 0);
        foreach (var lote in filas.Chunk(Lote))
        {
            var registros = new JsonArray(lote.Select(f => (JsonNode)f.registro).ToArray());
            JsonNode respuesta = (await Pedir(ruta, new JsonObject { ["registros"] = registros })).contenido;
            foreach (JsonNode o in respuesta["observaciones"].AsArray())
            {
                string campo = string.Join('/', o["puntero"].ToString().Split('/').Skip(3));
                Console.WriteLine(string.Join('\t', lote[(int)o["indice"]].fila, o["folio"], o["gravedad"], campo, o["mensaje"]));
            }
            foreach (string conteo in suma.Keys.ToList()) suma[conteo] += (int)respuesta[conteo];
        }
        Console.Error.WriteLine(string.Join(", ", suma.Select(c => $"{c.Key} {c.Value}")));
        return suma[conteos[^1]] > 0 ? 2 : 0;
    }

    static async Task<int> Seguir(string carpeta)
    {
        Directory.CreateDirectory(carpeta);
        foreach (string lista in new[] { "casos", "coincidencias", "reportes" })
        {
            string archivo = Path.Combine(carpeta, lista + ".json");
            JsonNode antes = File.Exists(archivo) ? JsonNode.Parse(File.ReadAllText(archivo)) : new JsonObject { ["filas"] = new JsonArray() };
            var (etag, filas) = await Pedir("/cliente/" + lista, null, (string)antes["etag"]);
            if (filas == null) continue;
            var conocidas = antes["filas"].AsArray().ToDictionary(f => (string)f["id"], f => f.ToJsonString());
            foreach (JsonNode fila in filas.AsArray())
            {
                bool conocida = conocidas.TryGetValue((string)fila["id"], out string anterior);
                if (fila.ToJsonString() != anterior) Console.WriteLine($"{lista}\t{(conocida ? "cambió" : "nuevo")}\t{fila.ToJsonString()}");
            }
            File.WriteAllText(archivo + ".nuevo", new JsonObject { ["etag"] = etag, ["filas"] = filas }.ToJsonString());
            File.Move(archivo + ".nuevo", archivo, true); // de una vez: nunca queda un estado a medias
        }
        return 0;
    }

    static async Task<int> Main(string[] args)
    {
        Console.OutputEncoding = new UTF8Encoding(false);
        try
        {
            switch (args.Length == 2 ? args[0] : "")
            {
                case "validar": return await Enviar(args[1], "/cliente/registros/validar", "validos", "invalidos");
                case "enviar": return await Enviar(args[1], "/cliente/registros/lote", "creados", "actualizados", "sin_cambios", "coincidencias", "rechazados");
                case "seguir": return await Seguir(args[1]);
                default: throw new Problema("uso: dotnet run -- validar|enviar|seguir ARCHIVO|CARPETA");
            }
        }
        catch (Problema p)
        {
            Console.Error.WriteLine(p.Message);
            return 1;
        }
    }
}
