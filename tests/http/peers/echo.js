// SPDX-License-Identifier: Apache-2.0
// The resources of the cases on Node's http: echo.js PORT
const http = require('http');
const file = Buffer.alloc(1000, 'x');

function answer(response, status, body) {
  response.writeHead(status, {'Content-Length': body.length});
  response.end(body);
}

const server = http.createServer((request, response) => {
  const path = request.url.split('?')[0];
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (path === '/echo' && ['GET', 'HEAD', 'POST', 'PUT'].includes(request.method)) {
      answer(response, 200, Buffer.concat(pieces));
    } else if (path === '/') {
      answer(response, isRead ? 200 : 405, Buffer.from(isRead ? 'hello' : ''));
    } else if (path === '/file.txt') {
      answer(response, isRead ? 200 : 405, isRead ? file : Buffer.from(''));
    } else {
      answer(response, 404, Buffer.from(''));
    }
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1');
