import type { Chart } from '@dramaturg/compiler';
import { durable, type LoadedDefinitions } from '@dramaturg/host/engine';
import { behaviours, hosted, type HostedDefinition } from '../host.ts';
import { type UnitWatch, withGuardOrigins } from '../testing/coverage/unit-watch.ts';
import { Branches, BranchWorld } from './branches.ts';
import { eventsOf, type Outside } from './happenings.ts';
import { Player } from './player.ts';
import { type Vocabulary, vocabularyOf } from './vocabulary.ts';

/** A definition whose instances can be played without a host. */
export interface Rehearsal {
  readonly chart: Chart;
  readonly branches: Branches;
  readonly player: Player;
  readonly vocabulary: Vocabulary;
  /** A person may write to its instances. */
  readonly converses: boolean;
  /** It is a lifecycle that runs by itself. */
  readonly isLifecycle: boolean;
}

/** @param watch receives what the machines reach; without it they are faster */
export function rehearsalOf(definition: HostedDefinition, watch?: UnitWatch): Rehearsal {
  const { chart, lifecycle } = hosted('explored', definition);
  const world = new BranchWorld();
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
  const isLifecycle = lifecycle === 'own';
  const definitions: LoadedDefinitions = isLifecycle
    ? { lifecycle: load(chart, watch) }
    : { flow: load(chart, watch), lifecycle: load(lifecycle) };
  const branches = new Branches(definitions, world);
  const vocabulary = vocabularyOf(chart);
  return {
    chart,
    branches,
    vocabulary,
    isLifecycle,
    player: new Player(branches),
    converses: definitions.flow?.machine.converses === true,
  };
}

/** What the instances of a definition wait for from outside. */
export function outsideOf({ chart, converses, isLifecycle }: Rehearsal): Outside {
  return {
    converses,
    ownsLifecycle: isLifecycle,
    events: isLifecycle ? eventsOf(chart) : [],
  };
}
