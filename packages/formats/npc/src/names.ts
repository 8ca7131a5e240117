import { nodeKey } from '@dramaturg/compiler/chart';

/** The contract between `lower` and `behaviour`: ids of nodes and names of events that both must spell alike. */

/** The node whose meta is about the persona. */
export const sceneNode = 'region:scene';

/** The id of a scenario's node: its `meta` carries the scenario. */
export function scenarioNode(machine: string): string {
  return `scenario:${part(machine)}`;
}

/** The id of a state's node: its `meta` carries the state. */
export function stateNode(machine: string, state: string): string {
  return `${statePrefix(machine)}${part(state)}`;
}

/** How the ids of all states of a scenario begin. */
export function statePrefix(machine: string): string {
  return `state:${part(machine)}/`;
}

/** The nodes inside a state: talking, probing, and the end of a conversation that does not leave the state. */
export function innerNode(
  kind: 'conversing' | 'followup' | 'closed',
  ...keys: readonly string[]
): string {
  return `${kind}:${keys.map(part).join('/')}`;
}

/** Keys are joined by slashes, so slashes in a key are encoded like all special characters of ids. */
function part(key: string): string {
  return nodeKey(key).replaceAll('/', '%2F');
}

/** Events the machine sends itself. */
export const internal = {
  /** A session has begun: the NPC is to speak first. */
  opened: 'scenario.opened',
  pass: 'verdict.pass',
  redirect: 'verdict.redirect',
  reject: 'verdict.reject',
  kick_out: 'verdict.kick_out',
  follow_up: 'verdict.follow_up',
  /** The evaluator gave no verdict: nobody is to blame. */
  none: 'verdict.none',
  /** The verdict has taken effect: the turn may continue. */
  applied: 'verdict.applied',
  /** The last line is spoken and the output variables are read. */
  completed: 'scenario.completed',
  /** No link leads on. */
  over: 'scenario.over',
} as const;
