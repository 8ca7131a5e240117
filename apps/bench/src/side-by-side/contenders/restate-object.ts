import { RestatePeer, type RestatePeerName } from '../../restate-peer/peer.ts';
import { messageText, replyText } from '../../host/stage.ts';
import type { OpenContender } from '../contender.ts';

const writtenByHand =
  (which: RestatePeerName): OpenContender =>
  async ({ ingress, admin }, deliver) => {
    const peer = await RestatePeer.start({ ingress, admin }, which, {
      reply: async (text) => replyText(text),
      deliver: async (id, text) => deliver(id, text),
    });
    return { turn: (id, turn) => peer.turn(id, messageText(turn)) };
  };

export const acceptingObject = writtenByHand('accepting');

export const oneHandlerObject = writtenByHand('one handler');
