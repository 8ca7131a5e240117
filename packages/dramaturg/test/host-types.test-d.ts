import { createHost, type Host, type InstanceEvent } from 'dramaturg';
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
  };
  expectTypeOf(tell).parameter(0).toEqualTypeOf<InstanceEvent>();
  expectTypeOf<ReturnType<Host['events']>>().toEqualTypeOf<AsyncIterableIterator<InstanceEvent>>();
});
