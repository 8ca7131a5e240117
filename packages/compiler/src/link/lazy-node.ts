import { type AnyStateMachine, type AnyStateNode, StateNode } from 'xstate';
import { type GraphNode, idOf } from '../chart/graph.ts';

/** XState's class, whose constructor assigns the fields that are made later. */
const AnyNode = StateNode as unknown as new (
  config: object,
  options: {
    readonly _key: string;
    readonly _machine: AnyStateMachine;
    readonly _parent: AnyStateNode | undefined;
  },
) => Omit<AnyStateNode, 'states' | 'transitions' | 'always'> & { _initialize(): void };

/**
 * XState's node of a chart. Its children and transitions are made when they are first read. XState itself makes all of them with
 * the machine, which takes longer than all other parts of linking, and a fast step needs few of them.
 */
export class LazyNode extends AnyNode {
  readonly #placed: GraphNode;
  #states: AnyStateNode['states'] | undefined;
  #transitions: AnyStateNode['transitions'] | undefined;
  #always: AnyStateNode['always'];

  constructor(config: object, placed: GraphNode, machine: AnyStateMachine, parent?: AnyStateNode) {
    const childless = { type: { value: placed.kind }, states: { value: undefined } };
    const _key = parent ? placed.key : machine.id;
    super(Object.create(config, childless), { _key, _machine: machine, _parent: parent });
    this.#placed = placed;
    this.config = config as AnyStateNode['config'];
    this.order = placed.index;
  }

  get states(): AnyStateNode['states'] {
    return (this.#states ??= Object.fromEntries(
      this.#placed.children.map((child) => {
        const config = this.config.states![child.key]!;
        return [child.key, new LazyNode(config, child, this.machine, this as AnyStateNode)];
      }),
    ) as unknown as AnyStateNode['states']);
  }

  // XState's constructor assigns these fields before the ones of this class exist.
  set states(_: unknown) {}

  get transitions(): AnyStateNode['transitions'] {
    if (!this.#transitions) super._initialize();
    return this.#transitions!;
  }

  set transitions(made: AnyStateNode['transitions']) {
    if (#transitions in this) this.#transitions = made;
  }

  get always(): AnyStateNode['always'] {
    return this.transitions && this.#always;
  }

  set always(made: AnyStateNode['always']) {
    if (#always in this) this.#always = made;
  }

  /** XState initialises the children of a node with the node. */
  override _initialize(): void {}
}

/** The nodes of a machine by their ids. A node is made when it is first read. */
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
    this.#byId ??= new Map(this.#nodes.map((placed) => [idOf(placed), placed]));
    const placed = this.#byId.get(id);
    return placed && this.#nodeAt(placed);
  }

  #nodeAt({ parent, key }: GraphNode): AnyStateNode {
    return parent ? this.#nodeAt(parent).states[key]! : this.#rootOf();
  }
}
