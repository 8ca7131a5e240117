import type { AnyFormat } from '@dramaturg/compiler';

/** The formats, each loaded when it is first wanted: a story of one needs no other. */
const loaders: Readonly<Record<string, () => Promise<AnyFormat>>> = {
  plan: async () => (await import('@dramaturg/plan')).plan,
  asl: async () => (await import('@dramaturg/asl')).asl,
  npc: async () => (await import('@dramaturg/npc')).npc,
  'context-graph': async () => (await import('@dramaturg/context-graph')).contextGraph,
  lifecycle: async () => (await import('@dramaturg/lifecycle')).lifecycle,
};

const known = new Map<string, Promise<readonly AnyFormat[]>>();

/** @param name of one format; all of them when left out. The same question has the same promise. */
export function loadFormats(name?: string): Promise<readonly AnyFormat[]> {
  const wanted = name === undefined ? Object.keys(loaders) : [name];
  const key = wanted.join();
  const loading = known.get(key) ?? Promise.all(wanted.map((each) => loaders[each]!()));
  known.set(key, loading);
  return loading;
}
