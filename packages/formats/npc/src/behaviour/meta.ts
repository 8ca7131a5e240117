import type { HandledEvent } from '@dramaturg/conversation';
import type { NodeMeta } from '@dramaturg/compiler/chart';
import type { Action, Guard, Scope } from '@dramaturg/compiler/format';
import type { NpcContext } from '../context.ts';
import type {
  Decision,
  LinkCondition,
  MachineLink,
  OutputVariable,
  Persona,
  Prompts,
  Scenario,
  State,
  Transition,
  Variable,
} from '../definition.ts';
import { scenarioNode, sceneNode, stateNode, statePrefix } from '../names.ts';

/** The data that behaviour is evaluated against. */
export type NpcScope = Scope<NpcContext, HandledEvent>;
/** A moment of a conversation, without an event. */
export type Place = Pick<NpcScope, 'context' | 'meta'>;
export type TimedPlace = Pick<NpcScope, 'context' | 'meta' | 'world'>;
export type NpcGuard = Guard<NpcContext, HandledEvent>;
export type NpcAction<Params = unknown> = Action<NpcContext, HandledEvent, Params>;
export type NpcActions = Readonly<Record<string, Action<NpcContext, HandledEvent>>>;

/** The persona as stored in the meta of the scene's node. */
export interface PersonaMeta extends Partial<Pick<Persona, 'name' | 'persona_identity_prompt'>> {
  readonly variables: readonly Omit<Variable, 'at'>[];
  /** The keys of all scenarios. */
  readonly machines: readonly string[];
}

/** A scenario as stored in the meta of its node. */
export interface ScenarioMeta
  extends Pick<Scenario, 'machine_key' | 'scoring_mode' | 'on_end'>, Partial<Prompts> {
  readonly title: string;
  readonly output_variables: readonly (Pick<OutputVariable, 'key'> & Partial<OutputVariable>)[];
  /** Open from the start. */
  readonly open?: boolean;
  readonly summarise_after?: number;
  readonly machine_links?: readonly (Omit<MachineLink, 'condition'> & {
    readonly condition: LinkCondition;
  })[];
}

/** A state as stored in the meta of its node; a terminal state has neither criteria nor rows. */
export interface StateMeta
  extends
    Pick<State, 'state_key' | 'redirect_limit'>,
    Partial<Pick<State, 'prompt_instruction' | 'evaluation_criteria' | 'follow_up_limit'>> {
  readonly title: string;
  readonly rows?: readonly RowMeta[];
}

export interface RowMeta extends Pick<Transition, 'row'>, Partial<Pick<Transition, 'condition'>> {
  readonly decision_type: Decision;
  readonly leads_to?: string;
  /** A person takes over. */
  readonly hands_over?: true;
}

type Metas = ReadonlyMap<string, NodeMeta>;

export function personaMeta(meta: Metas): PersonaMeta {
  return meta.get(sceneNode) as unknown as PersonaMeta;
}

export function scenarioMeta(meta: Metas, machine: string): ScenarioMeta | undefined {
  return meta.get(scenarioNode(machine)) as unknown as ScenarioMeta | undefined;
}

export function currentScenario({ context, meta }: Place): ScenarioMeta {
  return scenarioMeta(meta, context.machine)!;
}

export function stateMeta(meta: Metas, machine: string, state: string): StateMeta {
  return meta.get(stateNode(machine, state)) as unknown as StateMeta;
}

/** The states of a scenario that judge what the player says, in the author's order. */
export function statesOf(meta: Metas, machine: string): readonly StateMeta[] {
  const prefix = statePrefix(machine);
  return [...meta].flatMap(([id, node]) =>
    id.startsWith(prefix) && 'rows' in node ? [node as unknown as StateMeta] : [],
  );
}

export function currentState({ context, meta }: Place): StateMeta {
  return stateMeta(meta, context.machine, context.state);
}
