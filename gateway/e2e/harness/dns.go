package harness

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// Nombres is a DNS server that knows the addresses of each service's replicas, as a
// cluster's does. It answers what the gRPC clients of the programs ask and nothing else.
type Nombres struct {
	conn net.PacketConn
	done chan struct{}

	mu        sync.Mutex
	addresses map[string][]netip.Addr
}

// ServeNombres starts a server on loopback, which knows the first replica of every service:
// 127.0.0.1.
func ServeNombres(services ...string) (*Nombres, error) {
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for names: %w", err)
	}
	n := &Nombres{conn: conn, done: make(chan struct{}), addresses: map[string][]netip.Addr{}}
	for _, service := range services {
		n.addresses[service] = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	}
	go n.serve()
	return n, nil
}

// Addr is the host:port of the server.
func (n *Nombres) Addr() string { return n.conn.LocalAddr().String() }

// Add makes one more replica of a service known, by its host:port.
func (n *Nombres) Add(service, address string) error {
	replica, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("add replica: %w", err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.addresses[service] = append(n.addresses[service], replica.Addr())
	return nil
}

// Forget leaves a service without a replica, for Add to name others.
func (n *Nombres) Forget(service string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.addresses[service] = nil
}

// Close ends the server.
func (n *Nombres) Close() error {
	err := n.conn.Close()
	<-n.done
	return err
}

func (n *Nombres) serve() {
	defer close(n.done)
	query := make([]byte, 1<<10)
	for {
		size, client, err := n.conn.ReadFrom(query)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		var message dnsmessage.Message
		err = message.Unpack(query[:size])
		if err != nil || len(message.Questions) != 1 {
			continue
		}
		packed, err := n.answer(message).Pack()
		if err != nil {
			continue
		}
		// Who does not get it asks again.
		_, _ = n.conn.WriteTo(packed, client)
	}
}

func (n *Nombres) answer(query dnsmessage.Message) *dnsmessage.Message {
	question := query.Questions[0]
	answer := &dnsmessage.Message{
		Header:    dnsmessage.Header{ID: query.ID, Response: true, Authoritative: true},
		Questions: query.Questions,
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	known, found := n.addresses[strings.TrimSuffix(question.Name.String(), ".")]
	if !found {
		answer.RCode = dnsmessage.RCodeNameError
		return answer
	}
	if question.Type != dnsmessage.TypeA {
		return answer
	}
	for _, address := range known {
		answer.Answers = append(answer.Answers, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET},
			Body:   &dnsmessage.AResource{A: address.As4()},
		})
	}
	return answer
}
