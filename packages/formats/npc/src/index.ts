import type { Format } from '@dramaturg/compiler/format';
import { namedAgents } from '@dramaturg/conversation';
import { authoring } from './authoring.ts';
import { behaviour } from './behaviour/index.ts';
import { npcRules } from './check/index.ts';
import { dataTypes } from './data-types.ts';
import { normalise, type Npc } from './definition.ts';
import { npcOptions, type NpcOptions, shapeOf } from './shape.ts';
import { npcSchema } from './shape.ts';
import { lower } from './lower/npc.ts';
import { outline } from './outline.ts';
import { kinds } from './problems.ts';
import { recognise } from './shape.ts';
import { wiringIn } from './scenario-graph.ts';

/** NPC scenarios: a persona, states with a prompt each, and verdicts that move between them. Spec: docs/formats/npc.md */
export const npc: Format<Npc, NpcOptions> = {
  name: 'npc',
  kind: 'conversation',
  title: 'scenario for an NPC',
  suffixes: ['.npc.json', '.npc.yaml', '.npc.yml'],
  recognise,
  shape: shapeOf,
  schemas: [npcSchema],
  authoring,
  dataTypes,
  options: npcOptions,
  agentReferences: namedAgents,
  normalise,
  rules: npcRules,
  lower,
  wiring: wiringIn,
  outline,
  behaviour,
  problems: kinds,
};

export type * from './context.ts';
export type * from './definition.ts';
export type * from './shape.ts';
export type * from './events.ts';
