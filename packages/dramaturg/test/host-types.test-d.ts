import { createHost, type Host, type InstanceEvent, type Json } from 'dramaturg';
import { expectTypeOf, test } from 'vitest';

test('the events of a host are told apart by who has said them, and by their type', async () => {
  expectTypeOf(createHost).returns.resolves.toEqualTypeOf<Host>();
  const tell = ({ source, event }: InstanceEvent) => {
    if (source === 'lifecycle' && event.type === 'state.entered')
      expectTypeOf(event.holds_contact).toEqualTypeOf<boolean>();
    if (source === 'host' && event.type === 'message.rejected')
      expectTypeOf(event.because).toEqualTypeOf<string>();
    if (source === 'flow' && event.type === 'message.sent')
      expectTypeOf(event.text).toEqualTypeOf<string>();
    if (source === 'flow' && event.type === 'conversation.ended') {
      expectTypeOf(event.outcome).toEqualTypeOf<string>();
      if ('deliverables' in event)
        expectTypeOf(event.deliverables).toEqualTypeOf<Readonly<Record<string, Json>>>();
      if ('score' in event) expectTypeOf(event.score).toEqualTypeOf<number>();
    }
  };
  expectTypeOf(tell).parameter(0).toEqualTypeOf<InstanceEvent>();
  expectTypeOf<ReturnType<Host['events']>>().toEqualTypeOf<AsyncIterableIterator<InstanceEvent>>();
});
