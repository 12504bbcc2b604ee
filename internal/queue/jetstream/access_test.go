package jetstream

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/gosper-life/gosper/internal/queue"
)

// TestToken: only clients with the token are let in. A client with another token gets an error that says so.
func TestToken(t *testing.T) {
	address, dir := freeAddress(t), t.TempDir()
	s, err := Start(ServerOptions{Dir: dir, Listen: address, Token: "right"})
	if err != nil {
		t.Fatal(err)
	}
	url, err := s.URL("")
	if err != nil || url != "nats://right@"+address {
		t.Fatal(url, err)
	}
	if named, err := s.URL("head"); err != nil || !strings.HasPrefix(named, "nats://right@head:") {
		t.Error(named, err)
	}
	connect(t, "", s)
	for _, refused := range []string{"nats://" + address, "nats://wrong@" + address} {
		_, err := Connect(t.Context(), refused, nil, patience)
		want := "the queue at nats://" + address +
			" refuses the connection: the token of nats://TOKEN@host:port is wrong or missing"
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", refused, err, want)
		}
	}
	// A worker whose server comes back with another token ends.
	worker := connect(t, url, nil)
	ended := make(chan error, 1)
	go func() {
		_, err := worker.Work(t.Context(), func() queue.Do { return job }, WorkOptions{AtOnce: 2})
		ended <- err
	}()
	s.Close()
	s, err = Start(ServerOptions{Dir: dir, Listen: address, Token: "new"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	select {
	case err := <-ended:
		if err == nil || !strings.HasPrefix(err.Error(), "the queue has closed the connection: nats: ") {
			t.Errorf("got %v", err)
		}
	case <-time.After(patience):
		t.Error("the worker goes on")
	}
}

// TestErrorsHoldNoToken: what is shown and logged gives nothing away.
func TestErrorsHoldNoToken(t *testing.T) {
	a, b := freeAddress(t), freeAddress(t)
	_, err := Connect(t.Context(), "nats://secret@"+a+",nats://secret@"+b, nil, 0)
	if err == nil || !strings.HasPrefix(err.Error(), "cannot reach a queue at nats://"+a+",nats://"+b+": ") {
		t.Errorf("got %v", err)
	}
}

// TestTLS connects to a server elsewhere that speaks TLS, whose certificate the system trusts.
func TestTLS(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SSL_CERT_FILE names trusted certificates on Linux")
	}
	certificate, trusted := selfSigned(t)
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}, TLSTimeout: 5, Authorization: "right",
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	if !s.ReadyForConnections(startTime) {
		t.Fatal("the server is not ready")
	}
	process(t, "worker", "URL=tls://right@"+s.Addr().String(), "SSL_CERT_FILE="+trusted)
	_, err = Connect(t.Context(), "tls://right@"+s.Addr().String(), nil, patience)
	if err == nil || !strings.Contains(err.Error(), "certificate signed by unknown authority") {
		t.Errorf("a certificate that nobody trusts: %v", err)
	}
}

// selfSigned is a certificate for the loopback, and a file of it.
func selfSigned(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trusted.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, path
}

// TestFailureLog: of all that a server logs, one line says that it is of no use any more.
func TestFailureLog(t *testing.T) {
	full := errors.New("no space left on device")
	l := &failureLog{}
	l.Errorf("127.0.0.1:%d - cid:%d - authentication error", 4222, 7)
	l.Noticef("Server is ready")
	if err := l.failure(); err != nil {
		t.Errorf("harmless lines: %v", err)
	}
	l.Errorf("Filestore [%s] Critical write error: %v", "jobs", full)
	l.Errorf("JetStream out of resources, will be DISABLED")
	if err := l.failure(); err == nil || err.Error() != "the queue cannot be kept: no space left on device" {
		t.Errorf("got %v", err)
	}
}
