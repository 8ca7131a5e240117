import { object, type ObjectContext, rpc, service, type Context } from '@restatedev/restate-sdk';

/** The outside world of a hand-written conversation: the port that it calls, and the channel that it answers on. */
export interface Outside {
  /** Answers immediately, like the port of a host in the benchmarks. */
  readonly reply: (text: string) => Promise<string>;
  /** Takes a message for the contact. Its return is the delivery receipt, and a turn is measured until then. */
  readonly deliver: (contact: string, text: string) => Promise<void>;
}

/** The stored state of a conversation. Lines of the transcript are separate state entries, of which a turn writes two. */
interface Conversation {
  readonly turns: number;
  /** The number of a message without a receipt. */
  readonly unsent?: number;
}

interface Reply {
  readonly turn: number;
  readonly text: string;
}

async function conversationIn(context: ObjectContext): Promise<Conversation> {
  return (await context.get<Conversation>('conversation')) ?? { turns: 0 };
}

/** The name of the object with one handler. */
export const oneHandler = 'plain-one-handler';

/**
 * The simplest object for this work: one exclusive handler makes the call and delivers the answer. Other messages wait until the
 * turn has ended.
 */
export function oneHandlerServices({ reply, deliver }: Outside) {
  return [
    object({
      name: oneHandler,
      handlers: {
        message: async (context: ObjectContext, text: string) => {
          const turn = (await conversationIn(context)).turns + 1;
          context.set(`line-${turn}-in`, text);
          const answer = await context.run('call', () => reply(text));
          context.set(`line-${turn}-out`, answer);
          context.set('conversation', { turns: turn, unsent: turn });
          await context.run('deliver', () => deliver(context.key, answer));
          context.set('conversation', { turns: turn });
          return { accepted: true };
        },
      },
    }),
  ];
}

/** The name of the object that accepts messages at any time. */
export const accepting = 'plain-accepting';

/**
 * An object that accepts messages while a call runs, like a host. The call and the delivery are separate invocations, and their
 * results are messages to the object.
 */
export function acceptingServices({ reply, deliver }: Outside) {
  const calls = service({
    name: 'plain-calls',
    handlers: {
      reply: async (context: Context, call: Reply & { readonly contact: string }) => {
        const text = await context.run('call', () => reply(call.text));
        context.objectSendClient(conversations, call.contact).answered({ turn: call.turn, text });
      },
    },
  });
  const deliveries = service({
    name: 'plain-deliveries',
    handlers: {
      deliver: async (context: Context, letter: Reply & { readonly contact: string }) => {
        await context.run('deliver', () => deliver(letter.contact, letter.text));
        context.objectSendClient(conversations, letter.contact).delivered(letter.turn);
      },
    },
  });
  const conversations = object({
    name: accepting,
    handlers: {
      message: async (context: ObjectContext, text: string) => {
        const turn = (await conversationIn(context)).turns + 1;
        context.set(`line-${turn}-in`, text);
        context.set('conversation', { turns: turn });
        const contact = context.key;
        context
          .serviceSendClient(calls)
          .reply({ contact, turn, text }, rpc.sendOpts({ idempotencyKey: `${contact}/${turn}` }));
        return { accepted: true };
      },
      answered: async (context: ObjectContext, { turn, text }: Reply) => {
        context.set(`line-${turn}-out`, text);
        context.set('conversation', { ...(await conversationIn(context)), unsent: turn });
        const contact = context.key;
        context
          .serviceSendClient(deliveries)
          .deliver({ contact, turn, text }, rpc.sendOpts({ idempotencyKey: `${contact}/${turn}` }));
      },
      delivered: async (context: ObjectContext, turn: number) => {
        const { unsent, ...rest } = await conversationIn(context);
        context.set('conversation', unsent === turn ? rest : { ...rest, unsent });
      },
    },
  });
  return [conversations, calls, deliveries];
}
