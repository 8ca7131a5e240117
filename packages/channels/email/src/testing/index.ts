import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Shown, Trouble } from '@dramaturg/testing';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

/** A mail as it arrives at a mailbox. */
export interface Mail extends Shown {
  readonly headers: Readonly<Record<string, string>>;
}

/** A mail server on this machine, with a mailbox for everybody. Like SMTP, it does not recognise a mail that is sent again. */
export class MailServer {
  readonly shown: Mail[] = [];
  /** The troubles of the next connections, the next one first. */
  readonly troubles: (Trouble | undefined)[] = [];
  readonly #server: SMTPServer;
  readonly #connections = new Map<string, Trouble | undefined>();
  url = '';

  constructor(user: string, password: string) {
    this.#server = new SMTPServer({
      authMethods: ['PLAIN', 'LOGIN'],
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      onConnect: (session, done) => {
        const trouble = this.troubles.shift();
        this.#connections.set(session.id, trouble);
        if (trouble !== 'silent') done();
      },
      onAuth: (auth, session, done) => {
        const isKnown = auth.username === user && auth.password === password;
        if (isKnown && this.#troubleOf(session) !== 'denied') done(null, { user });
        else done(smtpError(535, '5.7.8 Authentication credentials invalid'));
      },
      onRcptTo: (_, session, done) => {
        const trouble = this.#troubleOf(session);
        if (trouble === 'refused') done(smtpError(550, '5.1.1 No such user here'));
        else if (trouble === 'limited') done(smtpError(450, '4.7.1 Too many messages'));
        else if (trouble === 'failed') done(smtpError(451, '4.3.0 Try again later'));
        else if (trouble === 'cut') this.#cut(session);
        else done();
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const [recipient] = session.envelope.rcptTo;
          this.shown.push(mailOf(recipient!.address, Buffer.concat(chunks).toString()));
          if (this.#troubleOf(session) === 'lost') this.#cut(session);
          else done();
        });
      },
    });
    this.#server.on('error', () => {});
  }

  async listen(): Promise<this> {
    const server = this.#server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.url = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return this;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      for (const connection of this.#server.connections) socketOf(connection)?.destroy();
      this.#server.close(() => resolve());
    });
  }

  #troubleOf({ id }: SMTPServerSession): Trouble | undefined {
    return this.#connections.get(id);
  }

  #cut({ id }: SMTPServerSession): void {
    for (const connection of this.#server.connections)
      if ((connection as unknown as { readonly id: string }).id === id)
        socketOf(connection)?.destroy();
  }
}

/** The declarations of the library do not have the socket of a connection. */
function socketOf(connection: unknown): { readonly destroy: () => void } | undefined {
  return Reflect.get(connection as object, '_socket') as
    | { readonly destroy: () => void }
    | undefined;
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function mailOf(contact: string, raw: string): Mail {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const body = raw.slice(end + 4);
  return {
    contact,
    text: decodedBody(body, headers['content-transfer-encoding'] ?? '7bit').trimEnd(),
    headers,
  };
}

/** Spec: RFC 2045, section 6 */
function decodedBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
