import type { JsonObject, PortName } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';
import { calling, failTurn, summarising, turnRegion } from '@dramaturg/conversation';
import type { ToolList } from '../behaviour/meta.ts';
import { endNode, internal, movingNode, type Need } from '../names.ts';
import type { ContextGraphOptions } from '../shape.ts';
import { action, guard, input } from './references.ts';

type Nodes = Readonly<Record<string, ChartNode>>;
type Transitions = readonly ChartTransition[];

const moving = `#${movingNode}`;
const waiting = '#turn:waiting';

/**
 * A turn: the graph moves from state to state, and each state gets what it needs. Only action states speak to the person and wait
 * for them: a turn retrieves memories, selects an action or an exit, and carries out the action. Spec:
 * docs/formats/context-graph.md#turn
 *
 * @param needs what the states need
 * @param lists the lists in which states have tools
 */
export function lowerTurn(
  needs: readonly Need[],
  lists: ReadonlySet<string>,
  options: ContextGraphOptions,
): ChartNode {
  const { summariseAfter: after } = options;
  const nodes = nodesOf(lists, options);
  const wanted = new Set<string>([...needs, 'selecting', 'engaging']);
  const needed = (Object.keys(nodes) as Need[]).filter((need) => wanted.has(need));
  const on = needed.map((need) => [internal.need(need), [{ target: need }]] as const);
  return turnRegion({
    opening: {
      always: [
        { target: waiting, guard: guard('personOpens') },
        { target: moving, actions: [action('beginLine')] },
      ],
    },
    waiting: { target: moving, resumed: moving },
    answering: {
      initial: 'moving',
      states: {
        moving: {
          id: movingNode,
          on: { ...Object.fromEntries(on), [internal.void]: [{ target: waiting }] },
        },
        ...Object.assign({}, ...needed.map((need) => nodes[need])),
        ...(after !== undefined && { summarising: summarising({ target: waiting }, { after }) }),
      },
    },
  });
}

/** For each need its nodes. */
function nodesOf(
  lists: ReadonlySet<string>,
  options: ContextGraphOptions,
): Readonly<Record<Need, Nodes>> {
  const ask = consulting(lists, options);
  const passing = (take: Reference) => [moveOn(take)];
  // A query is performed once in a conversation; a recall without new queries is skipped.
  const recalling = {
    always: [{ ...moveOn(), guard: guard('hasNothingNew') }],
    ...counted('recall', input('performQueries'), [moveOn(action('takeRecalled'))]),
  };
  return {
    // Retrieves active memory once a turn for each action state.
    remembering: {
      remembering: {
        always: [{ target: 'selecting', guard: guard('isRemembered') }],
        ...counted('recall', input('remember'), [
          { target: 'selecting', actions: [action('takeActiveMemory')] },
        ]),
      },
    },
    selecting: {
      selecting: {
        always: [
          { target: moving, guard: guard('hasOneOption'), actions: [action('selectFirst')] },
          { target: 'choosing' },
        ],
      },
      // The state judges the answer: it knows the exits.
      ...ask('choosing', 'choose', 'select', 'exit_tools', [moveOn()]),
    },
    engaging: ask('engaging', 'reply', 'engage', 'action_tools', spoken(options)),
    deciding: ask('deciding', 'choose', 'decide', 'tools', [moveOn()]),
    reflecting: ask('reflecting', 'think', 'reflect', 'tools', [moveOn(action('takeThought'))]),
    wording: {
      wording: counted('extract', input('wordQueries'), [
        { target: 'recalling', actions: [action('takeQueries')] },
      ]),
      recalling,
    },
    recalling: { recalling },
    // Once the arguments pass the validations, the tool is called. The result also contains errors.
    preparing: {
      ...ask('preparing', 'extract', 'prepareCall', 'tools', [
        { target: 'calling', guard: guard('hasArguments'), actions: [action('takeArguments')] },
        {
          target: 'preparing',
          reenter: true,
          guard: guard('mayAskAgain'),
          actions: [action('refuseArguments')],
        },
        moveOn(action('refuseArguments'), action('giveUpCall')),
      ]),
      calling: callingTool(options, { tools: 'designated' }, passing),
    },
    mailing: { mailing: callingTool(options, { tools: 'email' }, passing) },
  };
}

/** The transitions after a message. */
function spoken({ summariseAfter: after }: ContextGraphOptions): Transitions {
  const speak: readonly Reference[] = [action('speak')];
  const ending = { target: `#${endNode}`, actions: [...speak, action('complete')] };
  return [
    { ...ending, guard: guard('endsConversation') },
    { ...ending, guard: guard('hasReachedEnd') },
    ...(after === undefined
      ? []
      : // The reply is counted when it is spoken.
        [
          {
            target: 'summarising',
            guard: guard('isSummaryDue', { after: after - 1 }),
            actions: speak,
          },
        ]),
    { target: waiting, actions: speak },
  ];
}

/** The state has what it needs: the graph moves on. */
function moveOn(...actions: readonly Reference[]): ChartTransition {
  return { target: moving, actions: [...actions, action('moveOn')] };
}

/** A call that counts as one of the turn. */
function counted(port: PortName, made: Reference, onDone: Transitions) {
  return { entry: [action('countCall')], ...calling(port, made, onDone) };
}

/** Which of the state's lists of tools the model may use. */
interface ToolParams extends JsonObject {
  readonly tools: ToolList;
}

/**
 * Makes the nodes that ask a model. Without tools it is one call. With tools the model may request some of them first. Each
 * request is a call of its own, which is never repeated once it is answered. Then the model is asked again with the results.
 * Spec: docs/formats/context-graph.md#tools
 */
function consulting(lists: ReadonlySet<string>, options: ContextGraphOptions) {
  return (
    name: string,
    port: PortName,
    question: 'select' | 'decide' | 'reflect' | 'engage' | 'prepareCall',
    tools: ToolList,
    answers: Transitions,
  ): Nodes => {
    const params: ToolParams = { tools };
    const asking = (onDone: Transitions) => counted(port, input(question, params), onDone);
    if (!lists.has(tools)) return { [name]: asking(answers) };
    const useTool = `${name}Tool`;
    /** Leads to the next requested tool, or back to the model. */
    const next = (take: Reference): Transitions => [
      { target: useTool, reenter: true, guard: guard('hasMoreTools'), actions: [take] },
      { target: name, actions: [take] },
    ];
    return {
      [name]: asking([
        {
          target: useTool,
          guard: guard('wantsTools', params),
          actions: [action('queueTools', params)],
        },
        ...answers,
      ]),
      [useTool]: callingTool(options, params, next),
    };
  };
}

/**
 * Calls a tool. A failed tool is a result for the model, or fails the turn. A call that a limit stopped has no result, so it fails
 * the turn. A result that is too long to be kept makes it void.
 *
 * @param next the transitions that take a result or an error
 */
function callingTool(
  { onToolError }: ContextGraphOptions,
  params: ToolParams,
  next: (take: Reference) => Transitions,
): ChartNode {
  const tooLong: ChartTransition = {
    target: moving,
    guard: guard('isTooLong', params),
    actions: [action('failTooLong', params), action('voidTurn')],
  };
  const done = [tooLong, ...next(action('takeToolResult', params))];
  const call = counted('callTool', input('useTool', params), done);
  if (onToolError === 'abort-turn') return call;
  const stopped = failTurn('callTool').map((one) => ({ ...one, guard: guard('isStoppedByLimit') }));
  const onError = [...stopped, ...next(action('takeToolError', params))];
  return { ...call, invoke: call.invoke.map((one) => ({ ...one, onError })) };
}
