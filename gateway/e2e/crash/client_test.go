package crash

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// newClient asks a gateway that gives these answers in turn, 0 for none, and then the last.
func newClient(t *testing.T, statuses ...int) (client *Client, asked func() int) {
	t.Helper()
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		status := statuses[min(requests, len(statuses)-1)]
		requests++
		if status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"id":"uno"}`))
	}))
	t.Cleanup(server.Close)
	return &Client{HTTP: server.Client(), Gateways: []string{server.URL}, Ledger: NewLedger()}, func() int { return requests }
}

var question = call{method: http.MethodPost, path: "/", header: anonymous, body: map[string]string{}}

func TestClient_Insist_repeatsUntilItIsAcknowledged(t *testing.T) {
	client, asked := newClient(t, 503, 0, 429, 504, 201)
	span := Span{Sent: Never, Acked: Never}
	var answer struct{ ID string }
	err := client.Insist(t.Context(), &span, question, &answer)
	if err != nil || answer.ID != "uno" || asked() != 5 {
		t.Errorf("%q after %d requests, %v", answer.ID, asked(), err)
	}
	if span.Sent > span.Acked-4*attemptPause || span.Acked == Never {
		t.Errorf("asked from %v to %v, want the first request and the last answer", span.Sent, span.Acked)
	}
	if client.Requests.Load() != 5 || client.Acknowledged.Load() != 1 || client.Statuses() != "map[0:1 201:1 429:1 503:1 504:1]" {
		t.Errorf("%d requests, %d acknowledged, %s", client.Requests.Load(), client.Acknowledged.Load(), client.Statuses())
	}
}

func TestClient_Insist_takesARefusalAtItsWord(t *testing.T) {
	client, asked := newClient(t, 401)
	span := Span{Sent: Never, Acked: Never}
	err := client.Insist(t.Context(), &span, question, nil)
	if !errors.Is(err, errRefused) || asked() != 1 || span.Acked != Never {
		t.Errorf("%v after %d requests, acknowledged at %v", err, asked(), span.Acked)
	}
}

func TestLedger_knowsWhatWasDoneMeanwhile(t *testing.T) {
	ledger := NewLedger()
	end := ledger.Disturb(Disturbance{What: "kill", Commit: true})
	all := func(Disturbance) bool { return true }
	if _, found := overlapping(ledger.Disturbances(), time.Hour, 2*time.Hour, all); !found {
		t.Error("what has not ended is over")
	}
	end()
	over := ledger.Now()
	if _, found := overlapping(ledger.Disturbances(), over+1, Never, all); found {
		t.Error("what has ended goes on")
	}
	if _, found := overlapping(ledger.Disturbances(), 0, over, func(d Disturbance) bool { return d.Keys }); found {
		t.Error("what does not matter was found")
	}
}

func TestLedger_listsInOrderOfArrival(t *testing.T) {
	ledger := NewLedger()
	for _, when := range []float64{2, 1, 3} {
		ledger.Arrived(ended(when))
	}
	got := ledger.Llegadas(at, search)
	if len(got) != 3 || got[0].At != second(1) || got[2].At != second(3) {
		t.Errorf("%v", got)
	}
	if reportes := ledger.Reportes(); len(reportes) != 1 || reportes[0] != (clave{at, search}) {
		t.Errorf("reports %v", reportes)
	}
}
