import type fc from 'fast-check';
import type { Chart, Ports } from '../src/index.ts';
import type { ChartInvoke, ChartNode, ChartTransition, Reference } from '../src/entries/chart.ts';
import type { Behaviour } from '../src/entries/machine.ts';

/** What one region has come to: a number that everything changes, and how often since the last event from outside. */
interface Count {
  readonly value: number;
  readonly steps: number;
}

interface Owned {
  readonly field: string;
}

const mostSteps = 25;

/** Counts, each region in a field of its own, and tells of every step. */
export const counting: Behaviour = {
  contexts: {
    zero: () => Object.fromEntries(fields.map((field) => [field, { value: 1, steps: 0 }])),
  },
  guards: {
    isEven: ({ context }, { field }: Owned) =>
      able(context[field]) && context[field].value % 2 === 0,
    isAble: ({ context }, { field }: Owned) => able(context[field]),
    isTired: ({ context }, { field }: Owned) => !able(context[field]),
  },
  actions: {
    begin: ({ context, event }, { field }: Owned) => ({
      context: { [field]: { value: context[field].value + event.type.length, steps: 0 } },
    }),
    step: ({ context, event }, { field, name }: Owned & { name: string }) => {
      const next = stepped(context[field]);
      const emitted = { type: 'stepped', name, value: next.value, event: event.type };
      return { context: { [field]: next }, emit: [emitted] };
    },
    count: ({ context }, { field }: Owned) => ({ context: { [field]: stepped(context[field]) } }),
    tell: ({ context }, { field, name }: Owned & { name: string }) => ({
      emit: [{ type: 'told', name, value: context[field].value }],
    }),
    call: ({ context }, { field, event }: Owned & { event: string }) =>
      able(context[field])
        ? { raise: [{ type: event }], context: { [field]: stepped(context[field]) } }
        : {},
  },
  inputs: {
    call: ({ context }, { field, name }: Owned & { name: string }) => ({
      key: `${name}/${context[field].value}`,
      tool: name,
      arguments: {},
    }),
  },
  outputs: { all: ({ context }) => context },
};

/** Answers most calls. */
export const port: Pick<Ports, 'callTool'> = {
  callTool: ({ key }) => {
    if (key.endsWith('7')) throw new Error(`No answer to ${key}.`);
    return { result: key };
  },
};

const fields = ['main', 'left', 'middle', 'right'];

function able({ steps }: Count): boolean {
  return steps < mostSteps;
}

function stepped({ value, steps }: Count): Count {
  return { value: (value * 5 + 3) % 64, steps: steps + 1 };
}

/** Events from outside; `left.go` is handled in one region only. */
export const events = ['go', 'turn', 'left.go', 'right.go', 'main.go'] as const;

interface NodeSlot {
  readonly id: string;
  readonly field: string;
  readonly kind: 'transient' | 'resting' | 'final' | 'compound' | 'parallel' | 'history';
  readonly children: NodeSlot[];
}

/** A chart of transient and resting nodes, of which every run ends. */
export function randomChart(gen: fc.GeneratorValue, arbitraries: typeof fc): Chart {
  return new ChartBuilder(gen, arbitraries).chart();
}

class ChartBuilder {
  readonly #places: NodeSlot[] = [];
  readonly #homes = new Set<string>();
  #ids = 0;
  /** How much there is besides transient nodes: the less, the longer the runs. */
  readonly #variety: number;
  /** No run of a chart with history is fused. */
  readonly #historyPercent: number;
  readonly #gen: fc.GeneratorValue;
  readonly #fc: typeof fc;

  constructor(gen: fc.GeneratorValue, arbitraries: typeof fc) {
    this.#gen = gen;
    this.#fc = arbitraries;
    this.#variety = this.#one([0, 0.3, 1]);
    this.#historyPercent = this.#one([0, 0, 50]);
  }

  chart(): Chart {
    const children = this.#grow('main', 0);
    const states = Object.fromEntries(children.map((place) => [place.id, this.#node(place)]));
    return {
      chart: 1,
      format: 'counting',
      id: 'chart',
      context: { type: 'zero' },
      output: { type: 'all' },
      initial: this.#one(children).id,
      ...(this.#chance(30) ? { on: this.#handlers('main') } : {}),
      states,
    };
  }

  #below(limit: number): number {
    return this.#gen(this.#fc.nat, limit - 1);
  }

  #chance(percent: number): boolean {
    return this.#below(100) < percent;
  }

  #one<Item>(list: readonly Item[]): Item {
    return list[this.#below(list.length)]!;
  }

  #grow(field: string, depth: number): NodeSlot[] {
    const children: NodeSlot[] = [];
    if (!this.#homes.has(field)) {
      this.#homes.add(field);
      children.push(this.#place(`${field}-home`, field, 'resting', []));
    }
    for (let count = 2 + this.#below(3); count > 0; count -= 1) {
      const number = this.#below(100);
      const id = `${field}-${(this.#ids += 1)}`;
      if (number < 80 - 25 * this.#variety) children.push(this.#place(id, field, 'transient', []));
      else if (number < 88 - 14 * this.#variety || depth > 2)
        children.push(this.#place(id, field, 'resting', []));
      else if (number < 91 - 10 * this.#variety) children.push(this.#place(id, field, 'final', []));
      else if (number < 97 - 5 * this.#variety || this.#homes.size > 1)
        children.push(this.#place(id, field, 'compound', this.#compound(field, depth + 1)));
      else {
        const regions = fields
          .slice(1, 3 + this.#below(2))
          .map((name) =>
            this.#place(`${name}-region`, name, 'compound', this.#grow(name, depth + 1)),
          );
        children.push(this.#place(id, field, 'parallel', regions));
      }
    }
    return children;
  }

  #compound(field: string, depth: number): NodeSlot[] {
    const children = this.#grow(field, depth);
    if (!this.#chance(this.#historyPercent)) return children;
    return [...children, this.#place(`${field}-${(this.#ids += 1)}`, field, 'history', [])];
  }

  #place(id: string, field: string, kind: NodeSlot['kind'], children: NodeSlot[]): NodeSlot {
    const place = { id, field, kind, children };
    this.#places.push(place);
    return place;
  }

  #node(place: NodeSlot): ChartNode {
    const { id, field, kind, children } = place;
    const isHome = id === `${field}-home`;
    const states = {
      states: Object.fromEntries(children.map((child) => [child.id, this.#node(child)])),
    };
    switch (kind) {
      case 'transient':
        return {
          id,
          entry: [this.#action('step', place)],
          ...(this.#chance(20 * this.#variety) ? { exit: [this.#action('tell', place)] } : {}),
          always: this.#always(place),
        };
      case 'history':
        return { id, type: 'history', history: this.#one(['shallow', 'deep']) };
      case 'final':
        return { id, type: 'final', ...this.#extras(place, 20) };
      case 'parallel':
        return {
          id,
          type: 'parallel',
          ...states,
          ...this.#extras(place, 15),
          onDone: this.#ways(place),
        };
      case 'compound':
        return {
          id,
          initial: this.#one(children.filter((child) => child.kind !== 'history')).id,
          ...states,
          ...this.#extras(place, 15),
          ...(this.#chance(15) ? { on: this.#handlers(field) } : {}),
          onDone: this.#ways(place),
        };
      case 'resting':
        return {
          id,
          tags: [`${field} rests`],
          meta: { title: id },
          ...this.#extras(place, 30),
          on: this.#handlers(field),
          ...(this.#chance(20) && !isHome
            ? { always: [this.#way(place, { type: 'isEven', params: { field } })] }
            : {}),
        };
    }
  }

  /** What makes entering and leaving a node more than that. */
  #extras(place: NodeSlot, most: number): ChartNode {
    const { kind } = place;
    const percent = most * this.#variety;
    return {
      ...(this.#chance(percent) ? { entry: [this.#action('step', place)] } : {}),
      ...(this.#chance(percent / 2) ? { exit: [this.#action('step', place)] } : {}),
      ...(kind !== 'final' && this.#chance(percent) ? { invoke: this.#calls(place) } : {}),
    };
  }

  #calls(place: NodeSlot): ChartInvoke[] {
    const { id, field } = place;
    const ids = this.#chance(25) ? [id, `${id}-too`] : [id];
    return ids.map((name) => ({
      id: name,
      src: 'callTool',
      input: { type: 'call', params: { field, name } },
      onDone: this.#ways(place),
      onError: this.#chance(70) ? this.#ways(place) : [],
    }));
  }

  /** The transitions of a transient node: some with a guard, then one without, and a way out for one that is tired. */
  #always(place: NodeSlot): ChartTransition[] {
    const { field } = place;
    const tired = { target: `#${field}-home`, guard: { type: 'isTired', params: { field } } };
    const guarded = Array.from({ length: this.#below(3) }, () =>
      this.#way(place, { type: 'isEven', params: { field } }),
    );
    return [tired, ...guarded, this.#way(place)];
  }

  /** Transitions for what a node brings about itself. They end in time. */
  #ways(place: Owned & { id: string }): ChartTransition[] {
    const { field } = place;
    return [
      this.#way(place, { type: 'isEven', params: { field } }),
      this.#way(place, { type: 'isAble', params: { field } }),
    ];
  }

  #handlers(field: string): Record<string, ChartTransition[]> {
    const heard = events.filter(
      (event) => (!event.includes('.') || event.startsWith(field)) && this.#chance(60),
    );
    const begin = { type: 'begin', params: { field } };
    return Object.fromEntries([
      ...heard.map((event) => {
        const way = this.#way({ field });
        return [event, [{ ...way, actions: [begin, ...(way.actions ?? [])] }]];
      }),
      ...(this.#chance(50) ? [[`${field}.called`, this.#ways({ field, id: 'called' })]] : []),
      ...(this.#chance(15) ? [[this.#one([`${field}.*`, '*']), [this.#anyway(field)]]] : []),
    ]);
  }

  #way({ field, id }: { field: string; id?: string }, guard?: Reference): ChartTransition {
    const inside = this.#places.filter(
      (place) => (place.field === field && place.id !== id) || this.#chance(7),
    );
    const target = this.#one(inside.length > 0 ? inside : this.#places);
    const step = id ? [this.#action('step', { id, field })] : [];
    return {
      ...(this.#chance(95) ? { target: `#${target.id}` } : {}),
      ...(guard ? { guard } : {}),
      // What a node brings about itself must count, or a circle of such transitions would not end.
      actions: this.#chance(20) ? [...step, this.#extraAction(field)] : step,
      ...(this.#chance(10) ? { reenter: true } : {}),
    };
  }

  /** A transition of a wildcard, which stays: it must not take the steps that a run raises forever. */
  #anyway(field: string): ChartTransition {
    return {
      guard: { type: 'isAble', params: { field } },
      actions: [this.#action('step', { id: 'any', field })],
    };
  }

  #extraAction(field: string): Reference {
    const event = `${field}.called`;
    return this.#one([
      { type: 'tell', params: { field, name: 'extra' } },
      { type: 'count', params: { field } },
      { type: 'call', params: { field, event } },
    ]);
  }

  #action(type: string, { id, field }: { id: string; field: string }): Reference {
    return { type, params: { field, name: id } };
  }
}
