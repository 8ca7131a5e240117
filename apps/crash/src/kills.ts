import type { Chance } from '@dramaturg/testing';
import type { Trouble } from './trouble.ts';

interface Point {
  readonly kills: number;
  /** A lower bound for the most times that one run has reached the point. */
  readonly reached: number;
}

/** Share of the ends at a random instant that are a stop without time, instead of a kill. */
const stopped = 0.4;

/** Kills hosts with SIGKILL: half of them at a random instant, the others at a named point. Some are stopped instead. */
export const kills: Trouble = async ({ chance, start, end, onProgress }, times) => {
  const points = new Map<string, Point>();
  let stops = 0;
  for (let kill = 0; kill < times; kill += 1) {
    const killAt = chooseKill(points, chance);
    const victim = start(killAt ? { killAt } : {});
    await victim.ready;
    // A process that does not reach its chosen point is killed at a random instant.
    const killAfterMs = killAt ? 1_000 : chance.between(0, 250);
    const isStopped = !killAt && chance.next() < stopped;
    if (isStopped) stops += 1;
    const timer = setTimeout(() => (isStopped ? victim.stop() : victim.kill()), killAfterMs);
    await end(victim);
    clearTimeout(timer);
    for (const [name, reached] of victim.points) {
      const { kills: before = 0, reached: most = 0 } = points.get(name) ?? {};
      points.set(name, { kills: before, reached: Math.max(most, reached) });
    }
    if (killAt) {
      const point = points.get(killAt.point)!;
      points.set(killAt.point, { ...point, kills: point.kills + 1 });
    }
    onProgress(1);
  }
  const kinds = Array.from(points, ([name, point]) => [name, point.kills] as const);
  return { kinds: { stop: stops, ...Object.fromEntries(kinds) } };
};

/** Half of the kills come at a random instant. The others come at the named point with the fewest kills so far. */
function chooseKill(points: ReadonlyMap<string, Point>, chance: Chance) {
  if (points.size === 0 || chance.next() < 0.5) return undefined;
  const fewest = Math.min(...Array.from(points.values(), (point) => point.kills));
  const [point, { reached }] = chance.of([...points].filter(([, each]) => each.kills === fewest));
  return { point, times: chance.between(1, Math.min(12, reached)) };
}
