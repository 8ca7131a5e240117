import { DramaturgError } from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import { HostError } from '@dramaturg/host';
import { isFailureOfHost, type Problem, problemIn } from '@dramaturg/service/client';
import { exitCodes, UsageError } from '../../usage-error.ts';
import { restateAt, type RestateLocation, wordsFor } from '../restate/location.ts';

/** Turns a failure of a host or store into an error with the next thing to do. Other errors stay as they are. */
export function explainError(error: unknown, folder: string): unknown {
  const location = restateAt(folder);
  const onRestate = location && explainRestate(error, folder, location);
  if (onRestate) return onRestate;
  const problem = problemIn(error);
  if (problem === undefined || error instanceof UsageError) return error;
  const { detail: message, code } = problem;
  const hint = hints(wordsFor(folder), problem)[code] ?? problem.hint;
  const exitCode =
    code === 'store/lost'
      ? exitCodes.storeLost
      : isFailureOfHost(problem)
        ? exitCodes.storeUnusable
        : code === 'host/message-refused' || code === 'host/instances-running'
          ? exitCodes.refused
          : exitCodes.usage;
  return new UsageError(message, hint, exitCode, code);
}

function hints(folder: string, problem: Problem): Readonly<Record<string, string>> {
  return {
    'host/unknown-instance': `"dramaturg ps ${folder} --all" lists the instances.`,
    'host/unknown-decision': `"dramaturg decisions ${folder}" lists the open ones.`,
    'host/unknown-checkpoint': `"dramaturg checkpoints ${folder} <id>" lists the save points.`,
    'host/unknown-definition': `Name a file to start from: dramaturg start ${folder} <file>.`,
    'host/exists': 'Choose another --id, or leave it out.',
    'host/message-refused': 'Change the message, or leave it out.',
    'input/incomplete': isAboutLifecycle(problem)
      ? 'See --heartbeat, --max-followups and --todo.'
      : hasUnknownField(problem)
        ? 'Correct or remove the unknown fields of --input.'
        : `Give the missing fields with --input, as JSON: --input '{"name": "value"}'.`,
    'host/instances-running': `End them too: dramaturg erase ${folder} <contact> --end`,
    'store/exists': 'Name a path where nothing is.',
    'store/damaged': `"dramaturg verify ${folder}" lists the damage, and "dramaturg repair ${folder}" says what can be done.`,
    'store/foreign': 'Name another folder.',
    'store/owned': 'A store has one owner: stop that process, or use its own controls.',
    'store/lost': 'Start it again. With --standby it waits for the store by itself.',
    'store/full': 'Free some space on the device. Acknowledged changes are not lost.',
    'store/read-only': 'Check the permissions of the folder.',
    'host/stopped': 'The host is stopping. Run the command again: it then opens the store itself.',
  };
}

/** The input of a lifecycle has options of its own. */
function isAboutLifecycle(problem: Problem): boolean {
  return problemsIn(problem).some((each) => /^"(heartbeat_config|todos)/.test(each));
}

function hasUnknownField(problem: Problem): boolean {
  return problemsIn(problem).some((each) => /^"[^"]*" is unknown/.test(each));
}

function problemsIn({ errors = [] }: Problem): readonly string[] {
  return errors.map(({ detail }) => detail);
}

/** Does the work of a command with a store. A failure of the host or store gets the next thing to do. */
export async function explainFailures<Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw explainError(error, folder);
  }
}

/** Prints an error of background work to standard error. */
export function printHostError(error: unknown, doing: string, count: number): void {
  const reason = error instanceof Error ? error.message : String(error);
  const times = count === 1 ? '' : ` (${count} times)`;
  process.stderr.write(`dramaturg: ${visible(`${doing} failed: ${reason}${times}`)}\n`);
}

/**
 * Prints the errors that matter to a command that does one thing and ends: nothing else waits for its event loop, and code
 * that runs for the first time is slow.
 */
export function printErrorOfCommand(error: unknown, doing: string, count: number): void {
  if (error instanceof HostError && error.code === 'host/slow-step') return;
  printHostError(error, doing, count);
}

/** Turns a failure to reach Restate, or handlers on it, into an error with the next thing to do. */
function explainRestate(
  error: unknown,
  store: string,
  { ingress, admin, namespace }: RestateLocation,
): UsageError | undefined {
  if (isUnreachable(error)) {
    return new UsageError(
      `Restate does not answer at ${ingress} or ${admin}.`,
      'Start restate-server, or correct --restate and --restate-admin.',
      exitCodes.storeUnusable,
      'host/unavailable',
    );
  }
  if (isOfAnotherServer(error)) {
    return new UsageError(
      error.message,
      `Correct --restate-admin: ${admin} has to be where Restate is administered, by default its port 9070.`,
      exitCodes.storeUnusable,
      'host/unavailable',
    );
  }
  if (error instanceof HostError && error.message.startsWith('Restate refused registering')) {
    return new UsageError(
      error.message,
      'Correct --advertise, or --listen: Restate has to reach the handlers there.',
      exitCodes.storeUnusable,
      error.code,
    );
  }
  if (!isWithoutHandlers(error)) return undefined;
  return new UsageError(
    new WithoutHandlersError({ ingress, admin, namespace }).message,
    `"dramaturg serve ${wordsFor(store)}" serves them. Or correct --namespace.`,
    exitCodes.storeUnusable,
    'host/not-running',
  );
}

/** Errors of `fetch` have the error of the connection as their cause. */
function isUnreachable(error: unknown): boolean {
  for (
    let each = error, depth = 0;
    each instanceof Error && depth < 5;
    each = each.cause, depth += 1
  )
    if (
      isFailedFetch(each) ||
      /^E(CONN|HOST|NET|AI_|NOTFOUND|PIPE|TIMEDOUT)|^UND_ERR_/.test(codeOf(each))
    )
      return true;
  return false;
}

/** Some failures have no code, such as that of a port that `fetch` refuses to call. */
function isFailedFetch(error: Error): boolean {
  return error instanceof TypeError && error.message === 'fetch failed';
}

/** The queries of commands are valid, so a server that refuses them is not Restate. */
function isOfAnotherServer(error: unknown): error is HostError {
  return (
    error instanceof HostError &&
    /^Restate refused asking|does not answer as a Restate server does/.test(error.message)
  );
}

function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined) return code;
  // One connection was tried for each address of the host.
  return error instanceof AggregateError && error.errors[0] instanceof Error
    ? codeOf(error.errors[0])
    : '';
}

/** Restate answers with this status for a service that is not registered. */
function isWithoutHandlers(error: unknown): boolean {
  if (error instanceof WithoutHandlersError) return true;
  return error instanceof Error && (error as { readonly status?: unknown }).status === 404;
}

/** No handlers of a namespace are registered with a Restate. Commands add how to serve them: see `explainRestate`. */
export class WithoutHandlersError extends DramaturgError {
  override readonly name = 'WithoutHandlersError';

  constructor({ ingress, namespace }: RestateLocation) {
    super(
      'host/not-running',
      `Restate at ${ingress} has no handlers of the namespace "${namespace}".`,
    );
  }
}
