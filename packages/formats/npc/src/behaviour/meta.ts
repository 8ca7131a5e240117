import type { HandledEvent, OnEnd } from '@dramaturg/conversation';
import type { NodeMeta } from '@dramaturg/compiler/chart';
import type { Action, Guard, Scope } from '@dramaturg/compiler/format';
import type { NpcContext } from '../context.ts';
import type { Criteria, Decision, LinkCondition, ScoringMode } from '../definition.ts';
import { scenarioNode, sceneNode, stateNode, statePrefix } from '../names.ts';

/** The data that behaviour is evaluated against. */
export type NpcScope = Scope<NpcContext, HandledEvent>;
/** A moment of a conversation, without an event. */
export type Place = Pick<NpcScope, 'context' | 'meta'>;
export type TimedPlace = Pick<NpcScope, 'context' | 'meta' | 'world'>;
export type NpcGuard = Guard<NpcContext, HandledEvent>;
export type NpcAction<Params = unknown> = Action<NpcContext, HandledEvent, Params>;

/** The persona as stored in the meta of the scene's node. */
export interface PersonaMeta {
  readonly name?: string;
  readonly persona_identity_prompt?: string;
  readonly variables: readonly { readonly key: string; readonly value?: string }[];
  /** The keys of all scenarios. */
  readonly machines: readonly string[];
}

/** A scenario as stored in the meta of its node. */
export interface ScenarioMeta {
  readonly machine_key: string;
  readonly title: string;
  readonly creator_objective?: string;
  readonly creator_win_condition?: string;
  readonly creator_lose_condition?: string;
  readonly chat_system_prompt?: string;
  readonly system_evaluation_prompt?: string;
  readonly system_summarization_prompt?: string;
  readonly scoring_mode: ScoringMode;
  readonly output_variables: readonly {
    readonly key: string;
    readonly extraction_prompt?: string;
  }[];
  /** Open from the start. */
  readonly open?: boolean;
  readonly on_end?: OnEnd;
  readonly summarise_after?: number;
  readonly machine_links?: readonly {
    readonly target_machine_key: string;
    readonly condition: LinkCondition;
    readonly is_auto_advance: boolean;
  }[];
}

/** A state as stored in the meta of its node; a terminal state has neither criteria nor rows. */
export interface StateMeta {
  readonly state_key: string;
  readonly title: string;
  readonly prompt_instruction?: string;
  readonly evaluation_criteria?: Criteria;
  readonly redirect_limit: number | null;
  readonly follow_up_limit?: number;
  readonly rows?: readonly RowMeta[];
}

export interface RowMeta {
  readonly row: string;
  readonly decision_type: Decision;
  readonly condition?: string;
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
