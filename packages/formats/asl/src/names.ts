import { nodeKey } from '@dramaturg/compiler/chart';

/** Colons separate the parts of node ids, since XState reads dots as paths. */
export function stateKey(name: string): string {
  return nodeKey(name).replaceAll(':', '%3A');
}

/** The id of the node of a state in a machine. */
export function stateId({ machine }: { readonly machine: string }, name: string): string {
  return `${machine}:${stateKey(name)}`;
}
