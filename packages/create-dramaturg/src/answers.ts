import type { Kind } from './definition-template.ts';

/** The templates of projects, each with the kind of its definition. */
export const templates = {
  conversation: 'plan',
  workflow: 'workflow',
  npc: 'npc',
  graph: 'graph',
} as const satisfies Record<string, Kind>;

export type Template = keyof typeof templates;

export const templateTitles: Readonly<Record<Template, string>> = {
  conversation: 'a conversation that collects information (conversation plan)',
  workflow: 'a workflow with agents and approvals (Agent State Language)',
  npc: 'a character that judges what a player says (NPC scenario)',
  graph: 'an agent that is guided through a problem (context graph)',
};

/** The choices of the author. */
export interface Answers {
  readonly folder: string;
  readonly template: Template;
  /** Whether the project is a service that keeps instances, instead of a program for the terminal. */
  readonly service: boolean;
  /** Whether a language model answers when there is a key. A workflow has agents instead. */
  readonly model: boolean;
}

export const defaults: Answers = {
  folder: 'my-dramaturg',
  template: 'conversation',
  service: false,
  model: false,
};

export function isTemplate(name: string): name is Template {
  return Object.hasOwn(templates, name);
}
