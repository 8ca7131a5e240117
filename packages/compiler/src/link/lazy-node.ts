import { type AnyStateMachine, type AnyStateNode, StateNode } from 'xstate';
import type { GraphNode } from '../chart/graph.ts';

/** XState's class, whose constructor assigns the fields that are made later. */
const AnyNode = StateNode as unknown as new (
  config: object,
  options: {
    readonly _key: string;
    readonly _machine: AnyStateMachine;
    readonly _parent: AnyStateNode | undefined;
  },
) => Omit<AnyStateNode, 'states' | 'transitions' | 'always'> & { _initialize(): void };

/** The config of a node, always the same object. */
export type ConfigOf = (placed: GraphNode) => object;

/**
 * XState's node of a chart. Its children and transitions are made when they are first read. XState itself makes all of them with
 * the machine, which takes longer than all other parts of linking, and a fast step needs few of them.
 */
export class LazyNode extends AnyNode {
  readonly #placed: GraphNode;
  readonly #configOf: ConfigOf;
  #states: AnyStateNode['states'] | undefined;
  #transitions: AnyStateNode['transitions'] | undefined;
  #always: AnyStateNode['always'];
  /** XState is about to initialise the children, which are not made yet. */
  #hidesStates = false;

  constructor(
    placed: GraphNode,
    configOf: ConfigOf,
    machine: AnyStateMachine,
    parent?: AnyStateNode,
  ) {
    const config = configOf(placed);
    const childless = { type: { value: placed.kind }, states: { value: undefined } };
    const key = parent ? placed.key : machine.id;
    super(Object.create(config, childless), { _key: key, _machine: machine, _parent: parent });
    this.#placed = placed;
    this.#configOf = configOf;
    this.config = config as AnyStateNode['config'];
    this.order = placed.index;
  }

  get states(): AnyStateNode['states'] {
    if (this.#hidesStates) return {};
    return (this.#states ??= lazyRecord(this.#placed.children, (child) => {
      const parent = this as AnyStateNode;
      return new LazyNode(child, this.#configOf, this.machine, parent) as AnyStateNode;
    }));
  }

  // XState's constructor assigns these fields before the ones of this class exist.
  set states(_: unknown) {}

  get transitions(): AnyStateNode['transitions'] {
    if (!this.#transitions) {
      // oxlint-disable-next-line no-underscore-dangle -- XState has no public name for it.
      super._initialize();
      this.#hidesStates = false;
    }
    return this.#transitions!;
  }

  set transitions(made: AnyStateNode['transitions']) {
    if (!(#transitions in this)) return;
    this.#transitions = made;
    this.#hidesStates = this.config.always === undefined;
  }

  get always(): AnyStateNode['always'] {
    return this.transitions && this.#always;
  }

  set always(made: AnyStateNode['always']) {
    if (!(#always in this)) return;
    this.#always = made;
    this.#hidesStates = true;
  }
}

/** The nodes of a machine by their own ids. XState finds the others by their path. A node is made when it is first read. */
export class LazyIds extends Map<string, AnyStateNode> {
  readonly #nodes: readonly GraphNode[];
  readonly #rootOf: () => AnyStateNode;
  #byId: ReadonlyMap<string, GraphNode> | undefined;

  constructor(nodes: readonly GraphNode[], rootOf: () => AnyStateNode) {
    super();
    this.#nodes = nodes;
    this.#rootOf = rootOf;
  }

  override get(id: string): AnyStateNode | undefined {
    this.#byId ??= new Map(this.#nodes.map((placed) => [placed.node.id ?? '', placed]));
    const placed = this.#byId.get(id);
    return placed && this.#nodeAt(placed);
  }

  #nodeAt({ parent, key }: GraphNode): AnyStateNode {
    return parent ? this.#nodeAt(parent).states[key]! : this.#rootOf();
  }
}

/** A record of nodes by their keys. A value is made when it is first read. */
export function lazyRecord<Value>(
  nodes: readonly GraphNode[],
  make: (placed: GraphNode) => Value,
): Record<string, Value> {
  const record: Record<string, Value> = {};
  for (const placed of nodes) {
    let value: Value | undefined;
    // Replacing the getter by the value would take time in proportion to the number of nodes.
    const get = () => (value ??= make(placed));
    Object.defineProperty(record, placed.key, { enumerable: true, get });
  }
  return record;
}
