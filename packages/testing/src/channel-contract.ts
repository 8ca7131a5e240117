import { describe } from 'vitest';
import { deliveries, longMessages } from './channel-contract/deliveries.ts';
import { inbound, reports } from './channel-contract/inbound.ts';
import {
  type ChannelContractOptions,
  channelFactsOf,
  type MakeChannelPlace,
} from './channel-contract/stage.ts';

/**
 * Registers the tests that every channel with a provider passes, over real HTTP against a stand-in for the provider: messages to
 * people while the provider has every kind of trouble, and requests of the provider, of forgers and of unknown senders.
 *
 * @param makePlace makes a new channel and a new stand-in; called once for each test
 */
export function channelContract(
  makePlace: MakeChannelPlace,
  options: ChannelContractOptions,
): void {
  const chapters = { deliveries, longMessages, inbound, reports };
  for (const [title, chapter] of Object.entries(chapters)) {
    // oxlint-disable-next-line vitest/valid-title -- The chapters are named once, above.
    describe(title, () => {
      chapter(channelFactsOf(makePlace, options));
    });
  }
}
