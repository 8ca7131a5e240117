import { AccessError } from './access-error.ts';

const withBody = ['POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Requires requests with a body to have the type `application/json`: pages of other origins can send it only after a preflight
 * request.
 *
 * @throws AccessError `request/media-type`
 */
export function requireJson({ method, headers }: Request): void {
  if (!withBody.includes(method)) return;
  const type = headers.get('content-type');
  const isEmpty =
    (headers.get('content-length') ?? '0') === '0' && headers.get('transfer-encoding') === null;
  if (type === null && isEmpty) return;
  if (/^application\/json(?: *; *charset="?utf-8"?)? *$/i.test(type ?? '')) return;
  throw new AccessError(
    415,
    'request/media-type',
    `Expected the content type application/json, found ${type === null ? 'none' : `"${type.slice(0, 100)}"`}.`,
    { hint: 'Send JSON in UTF-8 with the header "content-type: application/json".' },
  );
}

export interface BodyLimits {
  readonly bodyBytes: number;
  readonly bodyTimeoutMs: number;
}

/** Maximum number of values in a body, and of nested levels: more take too long to check, store and send. */
const [valuesMax, depthMax] = [20_000, 500];

/**
 * The factor by which a body with the history of a page may be larger. Only its new part is used, and counted as a body. Spec:
 * docs/front-ends.md
 */
const historyFactor = 20;

/** The factor by which a body may be larger than others. */
function factorOf(path: string): number {
  return /^\/(ag-ui|chat)\//.test(path) ? historyFactor : 1;
}

/** Number of bytes above the limit that are read and discarded: a sender that is cut off while it writes does not see the answer. */
const forgottenMax = 8_000_000;

/**
 * Reads the body of a request into memory, within the limits. Later reads get the whole body.
 *
 * @throws AccessError as `read`
 */
export async function bufferBody(
  request: { raw: Request },
  limits: BodyLimits,
  read: (
    request: Request,
    limits: BodyLimits,
  ) => Promise<string | Uint8Array<ArrayBuffer>> = readBytes,
): Promise<void> {
  const { raw } = request;
  if (raw.body === null) return;
  const { url, method, headers, signal } = raw;
  const body = await read(raw, limits);
  request.raw = new Request(url, { method, headers: [...headers], body, signal });
}

/**
 * Reads the body of a request as a string, within the limits.
 *
 * @throws AccessError as `readBytes`
 */
export async function readBody(request: Request, limits: BodyLimits): Promise<string> {
  const factor = factorOf(new URL(request.url).pathname);
  const bytes = await readBytes(request, { ...limits, bodyBytes: limits.bodyBytes * factor });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AccessError(400, 'request/invalid', 'The body is not UTF-8.', { cause });
  }
  requireFewValues(text, valuesMax * factor);
  return text;
}

/** Counts the values of a JSON string without parsing it. Malformed JSON is refused later. @throws AccessError `request/too-large` */
function requireFewValues(json: string, valuesLimit: number): void {
  let [values, depth] = [1, 0];
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') at = endOfText(json, at);
    else if (character === ',') values += 1;
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === '[' || character === '{') {
      values += 1;
      depth += 1;
    }
    if (values > valuesLimit || depth > depthMax) throw tooManyValues(valuesLimit);
  }
}

/** The index of the quote that ends a JSON string. */
export function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let first = end;
    while (json[first - 1] === '\\') first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return json.length;
}

/**
 * Reads the bytes of the body of a request. Keeps at most `bodyBytes`, and reads for at most `bodyTimeoutMs`, however slowly it
 * arrives.
 *
 * @throws AccessError `request/too-large`, `request/too-slow` or `request/broken`
 */
async function readBytes(
  { body, headers }: Request,
  { bodyBytes, bodyTimeoutMs }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const readMax = bodyBytes + forgottenMax;
  if (Number(headers.get('content-length') ?? 0) > readMax) throw tooLarge(bodyBytes);
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  let chunks: Uint8Array[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<'slow'>((resolve) => {
    timer = setTimeout(() => resolve('slow'), bodyTimeoutMs);
  });
  try {
    for (;;) {
      const next = await Promise.race([reader.read().catch(broken), slow]);
      if (next === 'slow') throw tooSlow(bodyTimeoutMs);
      if (next.done) break;
      size += next.value.byteLength;
      if (size > readMax) throw tooLarge(bodyBytes);
      if (size > bodyBytes) chunks = [];
      else chunks.push(next.value);
    }
    if (size > bodyBytes) throw tooLarge(bodyBytes);
  } finally {
    clearTimeout(timer);
    // The rest is not read: the connection is closed after the response.
    reader.cancel().catch(() => {});
  }
  return Buffer.concat(chunks);
}

const closing = { connection: 'close' };

function tooLarge(bodyBytes: number): AccessError {
  return new AccessError(413, 'request/too-large', `The body has more than ${bodyBytes} bytes.`, {
    hint: 'Send less at once, or raise the limit of the service.',
    headers: closing,
  });
}

function tooManyValues(valuesLimit: number): AccessError {
  const most = valuesLimit.toLocaleString('en');
  return new AccessError(
    413,
    'request/too-large',
    `The body has more than ${most} values, or more than ${depthMax} levels.`,
    { hint: 'Send less at once. Long lists can be in a file that an ItemReader of a Map reads.' },
  );
}

function tooSlow(bodyTimeoutMs: number): AccessError {
  return new AccessError(
    408,
    'request/too-slow',
    `The body has not arrived within ${bodyTimeoutMs} milliseconds.`,
    { headers: closing },
  );
}

function broken(cause: unknown): never {
  throw new AccessError(400, 'request/broken', 'The connection broke inside the body.', {
    cause,
    headers: closing,
  });
}
