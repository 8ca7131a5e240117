import type { Chart } from '@dramaturg/compiler';
import { durable, type LoadedDefinitions } from '@dramaturg/host/engine';
import { definitionOf } from '../definition-names.ts';
import { behaviours, hosted, type HostedDefinition } from '../host.ts';
import { contactOf } from '../testing/contact.ts';
import { type UnitWatch, withGuardOrigins } from '../testing/coverage/unit-watch.ts';
import { BranchWorld } from './branch-world.ts';
import { Branches } from './branches.ts';
import { eventsOf, type Outside } from './happenings.ts';
import { Player } from './player.ts';
import { taskEndings } from './task-endings.ts';
import { type Vocabulary, vocabularyOf } from './vocabulary.ts';

/** A definition whose instances can be played without a host, with those of the definitions that it calls. */
export interface Rehearsal {
  readonly chart: Chart;
  readonly branches: Branches;
  readonly player: Player;
  /** The words of the definition, and of those that it calls. */
  readonly vocabulary: Vocabulary;
  /** What its instances wait for from outside. */
  readonly outside: Outside;
  /** The contact that its instances begin with. */
  readonly contact?: string;
}

export interface RehearsalOptions {
  /** Definitions that it calls as agents, by name. */
  readonly others?: Readonly<Record<string, HostedDefinition>>;
  /** Receives what the machines of the definition reach; without it they are faster. */
  readonly watch?: UnitWatch;
}

export function rehearsalOf(
  definition: HostedDefinition,
  { others = {}, watch }: RehearsalOptions = {},
): Rehearsal {
  const { chart, lifecycle } = hosted('explored', definition);
  const charts = new Map(
    Object.entries(others).map(([name, other]) => [name, hosted(name, other)] as const),
  );
  const world = new BranchWorld();
  const definitions = loaded({ chart, lifecycle }, world, watch);
  const children = new Map<string, LoadedDefinitions>();
  const branches = new Branches({
    definitions,
    world,
    definitionOf: (agent) => {
      const name = definitionOf(agent);
      return name !== undefined && charts.has(name) ? name : undefined;
    },
    definitionsOfChild: (name) => {
      const known = children.get(name) ?? loaded(charts.get(name)!, world);
      children.set(name, known);
      return known;
    },
  });
  const isLifecycle = lifecycle === 'own';
  const vocabulary = vocabularyOf([chart, ...Array.from(charts.values(), (each) => each.chart)]);
  return {
    chart,
    branches,
    vocabulary,
    player: new Player(branches),
    outside: {
      converses: definitions.flow?.machine.converses === true,
      ownsLifecycle: isLifecycle,
      taskEndings: (moment) => taskEndings(branches.openTasks(moment), vocabulary),
      events: isLifecycle ? eventsOf(chart) : [],
      eventsOfChild: (name) => {
        const child = charts.get(name);
        return child?.lifecycle === 'own' ? eventsOf(child.chart) : undefined;
      },
    },
    ...contactOf(definition, others),
  };
}

/** Links the machines of a definition. */
function loaded(
  { chart, lifecycle }: { readonly chart: Chart; readonly lifecycle: Chart | 'own' },
  world: BranchWorld,
  watch?: UnitWatch,
): LoadedDefinitions {
  const load = (each: Chart, watching?: UnitWatch) => {
    const behaviour = behaviours.get(each.format)!;
    return {
      ref: { name: each.id, version: 'explored' },
      chart: each,
      machine: watching
        ? durable(withGuardOrigins(each), watching.watched(behaviour), {
            world,
            inspect: watching.inspect,
          })
        : durable(each, behaviour, { world }),
    };
  };
  return lifecycle === 'own'
    ? { lifecycle: load(chart, watch) }
    : { flow: load(chart, watch), lifecycle: load(lifecycle) };
}
