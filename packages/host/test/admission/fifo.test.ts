import { array, assert, boolean, property } from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from '../../src/admission/lane.ts';

test('items are taken in the order in which they were added', () => {
  assert(
    property(array(boolean(), { maxLength: 200 }), (steps) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      for (const [index, isAdded] of steps.entries()) {
        if (isAdded) fifo.add(index);
        const taken = isAdded ? undefined : fifo.take();
        expect(taken).toBe(isAdded ? undefined : model.shift());
        if (isAdded) model.push(index);
      }
      for (const item of model) expect(fifo.take()).toBe(item);
      expect(fifo.take()).toBeUndefined();
    }),
  );
});
