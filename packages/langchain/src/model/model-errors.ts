import { setTimeout as sleep } from 'node:timers/promises';
import { DramaturgError, isRecord, PortError, type PortName } from '@dramaturg/compiler';
import { withoutSecrets } from '@dramaturg/compiler/secrets';

export interface ModelContext {
  readonly port: PortName;
  /** The name of the model, if known. */
  readonly model: string;
  readonly baseUrl: string | undefined;
}

/** The response is not a completion, so the address is probably not that of a model server. */
export class NoCompletionError extends DramaturgError<'model/no-completion'> {
  override readonly name = 'NoCompletionError';

  constructor() {
    super('model/no-completion', 'The answer has no parts.');
  }
}

/** The model replied without an answer. This says nothing about the features of its server. */
export class NoAnswerError extends DramaturgError<'model/no-answer'> {
  override readonly name = 'NoAnswerError';

  /** @param reply what the model said, or what is wrong with it */
  constructor(reply: string) {
    super('model/no-answer', reply);
  }
}

/** Words the failure of a model in one sentence, with the next step. The original error is the cause. */
export function modelFailure(place: ModelContext, cause: unknown): PortError {
  if (cause instanceof PortError) return cause;
  const code = isPermanent(cause) ? 'port/refused' : 'port/failed';
  return new PortError(code, place.port, sentence(place, cause), { cause });
}

/** The error for a model that refuses to answer. A retry would not change that. */
export function refusalError({ port, model }: ModelContext, refusal: string): PortError {
  return new PortError(
    'port/refused',
    port,
    `The model "${model}" refused to answer (${oneLine(refusal)}): change the definition's instructions or choose another model.`,
    { cause: new NoAnswerError(refusal) },
  );
}

/** The model's answer ended before it was complete. */
export class CutOffError extends NoAnswerError {}

/**
 * The error for an answer that was cut off. A retry may bring a shorter answer.
 *
 * @param isLimited whether a limit of the host has cut it off
 */
export function cutOffError(
  { port, model }: ModelContext,
  because: 'length' | 'filter',
  isLimited: boolean,
): PortError {
  const hint =
    because === 'filter'
      ? "by its provider's content filter: change the definition's instructions or choose another model"
      : isLimited
        ? 'by a limit: raise limits.call.tokens or limits.tokens'
        : 'by its limit of tokens: raise modelOptions.maxTokens, or ask for shorter answers';
  const message = `The answer of the model "${model}" was cut off ${hint}.`;
  const code = because === 'length' && isLimited ? 'port/limit-reached' : 'port/failed';
  return new PortError(code, port, message, { cause: new CutOffError(message) });
}

/** The error for an answer that cannot be used. */
export function unusableAnswer({ port, model }: ModelContext, problem: string): PortError {
  return new PortError(
    'port/bad-output',
    port,
    `The answer of the model "${model}" cannot be used (${oneLine(problem)}): try again, or choose a model that is better at structured answers.`,
    { cause: new NoAnswerError(problem) },
  );
}

const missingPackage = /Unable to import (\S+)\. Please install/;
const unknownProvider = /Unsupported \{ modelProvider|Unable to infer model provider/;
const missingKey = /missing credentials|api[ _-]?key/i;

/** Whether a retry cannot succeed until a person changes something. */
function isPermanent(cause: unknown): boolean {
  if (statusOf(cause) !== undefined || hasCode(cause, 'insufficient_quota'))
    return !isPassing(cause);
  const text = chainOf(cause);
  return [missingPackage, unknownProvider, missingKey].some((pattern) => pattern.test(text));
}

function sentence({ model, baseUrl }: ModelContext, cause: unknown): string {
  const text = chainOf(cause);
  const status = statusOf(cause);
  const server = baseUrl === undefined ? "the provider's server" : `the server at ${baseUrl}`;
  const own = oneLine(cause instanceof Error ? cause.message : String(cause));

  const missing = missingPackage.exec(text)?.[1];
  if (missing !== undefined)
    return `The model "${model}" needs the package ${missing}, which is not installed: run npm install ${missing}.`;
  if (unknownProvider.test(text))
    return `The provider of the model "${model}" is unknown: write provider:model, such as openai:gpt-6-luna, anthropic:claude-sonnet-5 or ollama:llama3.`;
  if (status === undefined && missingKey.test(text))
    return `There is no key for the model "${model}": set the environment variable ${keyVariable(model)}, or pass modelOptions: { apiKey }.`;
  if (status === 401 || status === 403)
    return `For the model "${model}", ${server} does not accept the key: check ${keyVariable(model)} and what the key is allowed to use.`;
  if (/context[ _](?:length|size|window)|ContextOverflow|prompt is too long/i.test(text))
    return `The conversation is too long for the model "${model}": give it fewer lines with historyLines, or choose a model with a larger context.`;
  if (/content[_ ]?(?:filter|policy)/i.test(text))
    return `The provider of the model "${model}" refused the request for its content: change the definition's instructions or choose another model.`;
  if (hasCode(cause, 'insufficient_quota'))
    return `The account for the model "${model}" has no credit left: top it up, or use another key.`;
  if (status === 429)
    return `For the model "${model}", ${server} accepts no more requests at present: wait a while, or raise the account's limit.`;
  if (status === 404)
    return `At ${server} there is no model "${model}": check the model's name and the base URL, which ends in /v1 for most servers.`;
  if (status !== undefined && status >= 500)
    return `For the model "${model}", ${server} failed with status ${status}: try again later.`;
  if (status !== undefined)
    return `For the model "${model}", ${server} refused the request with status ${status} (${own}): check the model's name and its options.`;
  if (isCutConnection(cause))
    return `The connection to ${server} was cut while the model "${model}" answered: try again.`;
  if (
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|Invalid URL|fetch failed|unsupported protocol/i.test(
      text,
    )
  )
    return `Nothing answers for the model "${model}" at ${server}: check the base URL and that the server runs.`;
  if (isNoCompletion(cause) || /is not valid JSON|Unexpected token|invalid json/i.test(text))
    return `For the model "${model}", ${server} answered with something else than a chat completion: check the base URL, which ends in /v1 for most servers.`;
  if (/timed? ?out/i.test(text))
    return `The model "${model}" took too long to answer: try again, or give it more time with modelOptions: { timeout }.`;
  return `The model "${model}" failed (${own}): see the cause of this error.`;
}

/** Whether a client has failed because the response is not a completion: it reads fields that do not exist. */
function isNoCompletion(cause: unknown): boolean {
  const isLost = cause instanceof TypeError && /properties of undefined/.test(cause.message);
  return cause instanceof NoCompletionError || isLost;
}

const keyVariables: Readonly<Record<string, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_API_KEY',
  'google-genai': 'GOOGLE_API_KEY',
  mistralai: 'MISTRAL_API_KEY',
  mistral: 'MISTRAL_API_KEY',
  groq: 'GROQ_API_KEY',
  deepseek: 'DEEPSEEK_API_KEY',
  xai: 'XAI_API_KEY',
  cohere: 'COHERE_API_KEY',
};

function keyVariable(model: string): string {
  const [provider = ''] = model.split(':');
  return keyVariables[provider] ?? 'OPENAI_API_KEY';
}

/** Shortens a provider's message to one line, without LangChain's link for programmers. */
function oneLine(text: string): string {
  // Secrets are removed before cutting: half a key would not be recognised.
  const line = withoutSecrets(text)
    .replace(/Troubleshooting URL:\s*\S+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.:]+$/, '');
  return line.length > 200 ? `${line.slice(0, 200)} …` : line;
}

interface Retries {
  /** The maximum number of retries. */
  readonly times: number;
  /** Milliseconds before the first retry. */
  readonly delay: number;
}

/** The longest wait that a server may ask for, in milliseconds. */
const longestWait = 60_000;

/**
 * Repeats work that failed because a server was busy or broken. Each wait is longer than the last, or is the one that the server
 * asks for.
 *
 * @param mayRepeat false once the call has had an effect that a retry would repeat
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { times, delay }: Retries,
  signal: AbortSignal,
  mayRepeat: () => boolean = () => true,
): Promise<Result> {
  for (let failed = 0; ; failed += 1) {
    try {
      return await attempt();
    } catch (error) {
      const wait = askedToWait(error) ?? Math.min(spread(delay * 2 ** failed), longestWait);
      if (failed >= times || signal.aborted || !mayRepeat()) throw error;
      if (!isPassing(error) || wait > longestWait) throw error;
      await sleep(wait, undefined, { signal });
    }
  }
}

/** Adds jitter to a wait: conversations that are refused together do not return together. */
function spread(wait: number): number {
  return wait * (0.5 + Math.random());
}

/** Whether the same request may succeed later, unlike after a refusal or a bad request. */
function isPassing(error: unknown): boolean {
  const status = statusOf(error);
  if (hasCode(error, 'insufficient_quota')) return false;
  if (status !== undefined) return status === 408 || status === 429 || status >= 500;
  return isCutConnection(error);
}

function isCutConnection(error: unknown): boolean {
  return /ECONNRESET|EPIPE|UND_ERR_SOCKET|terminated|socket hang up|other side closed|premature close/i.test(
    chainOf(error),
  );
}

/** The HTTP status of an error, which providers' clients keep in different fields. */
export function statusOf(error: unknown): number | undefined {
  if (!isRecord(error)) return undefined;
  const { status, statusCode, response } = error;
  const given = [status, statusCode, isRecord(response) ? response['status'] : undefined];
  return given.find((each) => typeof each === 'number');
}

function hasCode(error: unknown, code: string): boolean {
  return isRecord(error) && (error['code'] === code || error['type'] === code);
}

/** The messages and codes of an error and of its causes, in one string. */
function chainOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 5) return String(error);
  const { code } = error as { code?: unknown };
  const own = `${error.name} ${error.message} ${typeof code === 'string' ? code : ''}`;
  return error.cause === undefined ? own : `${own} ${chainOf(error.cause, depth + 1)}`;
}

/** The wait in milliseconds from `Retry-After`, which has seconds or a date. */
function askedToWait(error: unknown): number | undefined {
  const headers = isRecord(error) ? error['headers'] : undefined;
  const given =
    headers instanceof Headers
      ? headers.get('retry-after')
      : isRecord(headers)
        ? headers['retry-after']
        : undefined;
  if (typeof given !== 'string' || given.trim() === '') return undefined;
  const seconds = Number(given);
  const wait = Number.isNaN(seconds) ? Date.parse(given) - Date.now() : seconds * 1000;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
