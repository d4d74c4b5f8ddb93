// Hands connections that come through a socket in the file system over to the server that runs beside it.
const fs = require('node:fs');
const net = require('node:net');
const [socket, told] = process.argv.slice(2);

// Ports that something listens on, the one that the server was told first.
function listening() {
  const ports = new Set();
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    let text = '';
    try {
      text = fs.readFileSync(file, 'utf8');
    } catch {}
    for (const line of text.split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (fields[3] === '0A') ports.add(parseInt(fields[1].split(':')[1], 16));
    }
  }
  return [...ports].sort((a, b) => (b == told) - (a == told) || a - b);
}

function connect(ports, hosts, use, fail) {
  if (!ports.length) return fail();
  const [port, host] = [ports[0], hosts[0]];
  const to = net.connect({ port, host });
  to.once('connect', () => {
    to.removeAllListeners('error');
    use(to, port);
  });
  to.once('error', () => {
    if (hosts.length > 1) return connect(ports, hosts.slice(1), use, fail);
    connect(ports.slice(1), ['127.0.0.1', '::1'], use, fail);
  });
}

let written;
net
  .createServer((from) => {
    from.on('error', () => {});
    connect(
      listening(),
      ['127.0.0.1', '::1'],
      (to, port) => {
        if (written !== port) fs.writeFileSync(socket + '.port', String((written = port)));
        to.on('error', () => from.destroy());
        from.on('close', () => to.destroy());
        from.pipe(to);
        to.pipe(from);
      },
      () => from.destroy(),
    );
  })
  .listen(socket);
