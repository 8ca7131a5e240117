import type { Duplex } from 'node:stream';
import { RequestError } from '@hono/node-server';
import { type Problem, problem, problemType } from '../problem.ts';

/** The answer to a request that never reaches the application, such as one for the path `*`. */
export function problemOfTarget(error: unknown): Problem {
  if (!(error instanceof RequestError))
    return problem(500, 'host/failure', 'Dramaturg has failed before it read the request.');
  return problem(400, 'request/invalid', 'The address of the request is not valid.', {
    hint: 'Begin the path with "/", and name the service in the header "host".',
  });
}

/** An error of Node's parser of HTTP. */
interface UnreadableError extends NodeJS.ErrnoException {
  /** The bytes with the request. Not present when none have arrived. */
  readonly rawPacket?: Buffer;
}

/** Answers bytes that are not an HTTP request, and closes the connection. */
export function answerUnreadable(error: UnreadableError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const found = unreadable(error.code);
  const body = JSON.stringify(found);
  // A client of HEAD takes a body for the begin of another answer (RFC 9110, section 9.3.2).
  const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
  socket.end(
    `HTTP/1.1 ${found.status} ${found.title}\r\ncontent-type: ${problemType}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${isHead ? '' : body}`,
  );
}

function unreadable(code: string | undefined): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return problem(408, 'request/too-slow', 'The request has not arrived in time.');
  if (code === 'HPE_HEADER_OVERFLOW')
    return problem(431, 'request/too-large', 'The headers of the request are too large.');
  return problem(400, 'request/invalid', 'The bytes on the connection are not an HTTP request.');
}
