import { type PortInput, type Ports, providePorts } from '@dramaturg/compiler';
import { waitingTag } from '@dramaturg/compiler/chart';
import { understudyPorts } from '@dramaturg/understudy';
import { type UnderstudyCue, understudyCues } from '@dramaturg/understudy/cues';
import { type AnyMachineSnapshot, type AnyStateMachine, createActor } from 'xstate';

type Options = PortInput<'choose'>['options'];

/**
 * The words that would move a waiting conversation on, if the understudy judges them. Sends a message to a copy of the
 * actor to see which options the copy asks to choose from.
 *
 * @returns undefined when the next message leads to no choice
 */
export async function cuesAhead(
  machine: AnyStateMachine,
  snapshot: unknown,
): Promise<readonly UnderstudyCue[] | undefined> {
  let settle: (options: Options | undefined) => void = () => {};
  const settled = new Promise<Options | undefined>((resolve) => {
    settle = resolve;
  });
  const unanswered = new Promise<never>(() => {});
  const nothing = () => {
    settle(undefined);
    return unanswered;
  };
  const ports: Partial<Ports> = {
    ...understudyPorts(),
    choose: ({ options }) => {
      settle(options);
      return unanswered;
    },
    extract: nothing,
    reply: nothing,
    callTool: nothing,
  };
  const copy = createActor(providePorts(machine, ports), { snapshot: snapshot as never });
  copy.start();
  copy.subscribe({
    next: (now: AnyMachineSnapshot) => {
      if (now.status !== 'active' || now.hasTag(waitingTag)) settle(undefined);
    },
    error: () => settle(undefined),
  });
  copy.send({ type: 'message.received', text: 'hm' });
  const options = await settled;
  copy.stop();
  return options && understudyCues(options);
}
