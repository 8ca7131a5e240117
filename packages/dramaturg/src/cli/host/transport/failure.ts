import { InputError, type Json, LinkError } from '@dramaturg/compiler';
import { type Answer, HostError, StoreError } from '@dramaturg/host';
import { exitCodes, UsageError } from '../../usage-error.ts';

/** What a host could not do, as it goes through its socket. */
export interface Trouble {
  readonly error: string;
  readonly code: string;
  readonly details?: Json | undefined;
}

/** An error that has come through the socket. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble.error);
    this.trouble = trouble;
  }
}

/** An event that the instance has not accepted. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly answer: Answer & { readonly accepted: false };
  /** Which one it is, where the event was for whichever holds a contact. */
  readonly instance: string | undefined;

  constructor(answer: Answer & { readonly accepted: false }, instance?: string) {
    super(answer.because);
    this.answer = answer;
    this.instance = instance;
  }
}

/** The trouble in an error that a person or the store has caused; undefined for what is a mistake of Dramaturg's. */
export function troubleIn(error: unknown): Trouble | undefined {
  if (error instanceof RemoteError) return error.trouble;
  if (error instanceof HostError || error instanceof StoreError)
    return { error: error.message, code: error.code };
  if (error instanceof InputError)
    return { error: error.message, code: error.code, details: [...error.problems] };
  if (error instanceof LinkError) return { error: error.message, code: 'definition/not-linked' };
  if (error instanceof UsageError)
    return {
      error: error.message,
      code: 'request/refused',
      ...(error.hint === undefined ? {} : { details: error.hint }),
    };
  return undefined;
}

const statuses: Readonly<Record<string, number>> = {
  'host/unknown-instance': 404,
  'host/unknown-checkpoint': 404,
  'host/unknown-decision': 404,
  'store/unknown': 404,
  'host/unknown-definition': 400,
  'host/exists': 409,
  'host/bad-request': 400,
  'host/unknown-option': 400,
  'host/message-refused': 409,
  'store/bad-request': 400,
  'input/incomplete': 400,
  'definition/not-linked': 400,
  'request/refused': 400,
  'host/damaged': 500,
  'store/damaged': 500,
};

/** Spec: section 9 of the lifecycle; what the store or the host cannot do now is 503. */
export function statusFor({ code }: Trouble): number {
  return statuses[code] ?? 503;
}

/** The error as the command tells it, with the next thing to do. */
export function told(error: unknown, folder: string): unknown {
  const trouble = troubleIn(error);
  if (trouble === undefined || error instanceof UsageError) return error;
  const { error: message, code, details } = trouble;
  const hint = hints(folder, details)[code];
  const status = statusFor(trouble);
  const exitCode =
    status >= 500
      ? exitCodes.storeUnusable
      : code === 'host/message-refused'
        ? exitCodes.refused
        : exitCodes.usage;
  return new UsageError(message, hint, exitCode, code);
}

function hints(folder: string, details: Json | undefined): Readonly<Record<string, string>> {
  return {
    'host/unknown-instance': `"dramaturg ps ${folder} --all" lists the instances.`,
    'host/unknown-decision': `"dramaturg decisions ${folder}" lists the open ones.`,
    'host/unknown-definition': `Name a file to start from: dramaturg start ${folder} <file>.`,
    'host/exists': 'Choose another --id, or leave it out.',
    'host/message-refused': 'Leave the message out, or change it.',
    'input/incomplete': isOfLife(details)
      ? 'See --heartbeat, --max-followups and --todo.'
      : hasUnknown(details)
        ? 'Correct or leave out the fields of --input that are unknown.'
        : `Give what is missing with --input, as JSON: --input '{"name": "value"}'.`,
    'store/foreign': 'Name another folder.',
    'store/owned': 'Stop that process first, or use its own controls: a store has one owner.',
    'store/full': 'Make room on the device; nothing that was acknowledged is lost.',
    'store/read-only': 'Check the permissions of the folder.',
    'host/stopped': 'Try again: the host is stopping, and the command can do without it then.',
    ...(typeof details === 'string' ? { 'request/refused': details } : {}),
  };
}

/** The input of a lifecycle comes from options of its own. */
function isOfLife(details: Json | undefined): boolean {
  return problemsIn(details).some((problem) => /^"(heartbeat_config|todos)/.test(problem));
}

function hasUnknown(details: Json | undefined): boolean {
  return problemsIn(details).some((problem) => /^"[^"]*" is unknown/.test(problem));
}

function problemsIn(details: Json | undefined): string[] {
  return Array.isArray(details) ? details.map(String) : [];
}
