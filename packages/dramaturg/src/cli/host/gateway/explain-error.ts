import { isFailureOfHost, type Problem, problemIn } from '@dramaturg/service/client';
import { exitCodes, UsageError } from '../../usage-error.ts';
import { explainRestate } from '../restate/explain-restate.ts';
import { restateAt, wordsFor } from '../restate/location.ts';

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
