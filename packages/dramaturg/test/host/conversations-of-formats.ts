import { readFileSync } from 'node:fs';
import { compile } from '../../src/index.ts';

const fixture = (path: string) =>
  compile(readFileSync(new URL(`../../../formats/${path}`, import.meta.url), 'utf8'), {
    fileName: path,
  });

/** A conversation of each format. */
export const conversationsOfFormats = {
  plan: fixture('plan/test/fixtures/greeting/greeting.plan.json'),
  npc: fixture('npc/test/fixtures/lighthouse/lighthouse.npc.json'),
  'context-graph': fixture('context-graph/test/fixtures/check-in/check-in.context-graph.json'),
};
