package bench

// measure is what is taken together: in the same rounds, on the same system.
type measure struct {
	// name is what `make bench ONLY=` takes.
	name string
	take func(s *session)
	// rows are what comes of it, each a line of README's table.
	rows []row
	// axis names what its cases are numbers of, if it is drawn instead.
	axis string
}

// row is one figure: a column of the measure's cases, or a column over another.
type row struct {
	title string
	// of and over are columns; over may be empty. A case without them is not of the row.
	of, over string
	goal     goal
	// form writes a figure.
	form func(figure float64) string
}

// goal is what the median of every case must reach (architecture.md, section 6).
type goal struct {
	limit   float64
	atLeast bool
}

func atMost(limit float64) goal  { return goal{limit: limit} }
func atLeast(limit float64) goal { return goal{limit: limit, atLeast: true} }

func (g goal) met(figure float64) bool {
	if g.atLeast {
		return figure >= g.limit
	}
	return figure <= g.limit
}

// The columns that several measures have: our side, the peer, and the floor. They are seconds
// unless the measure says otherwise.
const (
	ours = "enlace"
	peer = "peer"
	bare = "floor"
	cpu  = "cpu"
)

// measures is the one place that says what is measured, and what is to be reached. They are
// taken in this order: what grows the tables comes first.
var measures = []measure{
	{name: "table", take: growTable, axis: "records in the table"},
	{name: "cases", take: growCases, axis: "open cases"},
	{name: "batch", take: growBatch, axis: "records of a batch"},
	{name: "lote", take: batches, rows: []row{
		{"`lote` of 5,000: time over the peer's", ours, peer, atMost(0.9), times},
		{"`lote` of 5,000: time over bare `COPY` and merge", ours, bare, atMost(1.3), times},
	}},
	{name: "lotes", take: batchesAtOnce, rows: []row{
		{"batches of 500 at once: records/s over the peer's", ours, peer, atLeast(1), times},
	}},
	{name: "one", take: single, rows: []row{
		{"one record in a `lote`: p50 over the peer's", ours, peer, atMost(1), times},
		{"one record in a `lote`: p50 over a bare `unnest` upsert", ours, bare, atMost(2.5), times},
	}},
	{name: "ping", take: pings, rows: []row{
		{"`ping`: requests/s over the same call by gRPC", ours, bare, atLeast(0.45), times},
		{"`ping`: CPU of gateway and registros", cpu, "", atMost(110e-6), micros},
	}},
	{name: "304", take: unchangedLists, rows: []row{
		{"a list unchanged (304): requests/s over `ping`'s", ours, "ping", atLeast(0.9), times},
	}},
	{name: "validar", take: validar, rows: []row{
		{"`validar` of 5,000: time over go-json-experiment, strict", ours, "go-json-experiment", atMost(1.5), times},
		{"`validar` of 5,000: time over sonic, strict", ours, "sonic", atMost(2.3), times},
	}},
	{name: "lists", take: lists, rows: []row{
		{"100,000 rows listed: time over reading them by pgx", ours, bare, atMost(1.6), times},
		{"100,000 rows listed: first byte", "first byte", "", atMost(20e-3), millis},
		{"100,000 rows listed: growth of the gateway", "growth", "", atMost(8 << 20), mebibytes},
	}},
	{name: "activations", take: activations, rows: []row{
		{"an activation that finds nothing, to its end: CPU in all", cpu, "", atMost(5e-3), millis},
		{"activations that find nothing: ended a second", "ended", "", atLeast(300), whole},
	}},
	{name: "matches", take: matches, rows: []row{
		{"a burst of matches: p99 from record to platform", "p99", "", atMost(10), seconds},
		{"a match told: CPU in all", cpu, "", atMost(1.5e-3), millis},
		{"matches told a second", "told", "", atLeast(1000), whole},
	}},
	{name: "stream", take: stream, rows: []row{
		{"100 matches a second, one by one: p99 from record to platform", "p99", "", atMost(1), seconds},
	}},
	{name: "joining", take: firstMatches, rows: []row{
		{"the first `lote` of 5,000 of an institution, all match: time over one without a match", ours, "no match", atMost(3), times},
	}},
	{name: "listed", take: firstList, rows: []row{
		{"10,000 reports listed to an institution that joins: another's p99 of one record over its quiet one", "p99", "quiet", atMost(5), times},
		{"10,000 reports listed to an institution that joins: ended a second", "ended", "", atLeast(50), whole},
	}},
}
