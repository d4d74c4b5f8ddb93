// Required by every Node.js process of an app's own server: writes down what its code has counted.
const fs = require('node:fs');
if (process.env.WEBEVAL_RUN && !/bridge\.cjs$/.test(process.argv[1] || '')) {
  const file = `${process.env.WEBEVAL_RUN}/${process.pid}.counts`;
  const write = () => {
    try {
      const delta = @COLLECT@;
      if (delta !== '{}') fs.appendFileSync(file, delta + '\n');
    } catch {}
  };
  setInterval(write, 300).unref();
  process.on('exit', write);
}
