import { useCallback, useRef, useState } from 'react';
import { useDesk } from './desk-context.ts';

/** Runs one act of the operator at a time. Nothing is shown as done before the service has answered. */
export function useAct() {
  const { say, complain } = useDesk();
  const running = useRef(false);
  const [isRunning, setIsRunning] = useState(false);
  const act = useCallback(
    async (work: () => Promise<unknown>, done?: string): Promise<boolean> => {
      if (running.current) return false;
      running.current = true;
      setIsRunning(true);
      try {
        await work();
        if (done !== undefined) say(done);
        return true;
      } catch (error) {
        complain(error);
        return false;
      } finally {
        running.current = false;
        setIsRunning(false);
      }
    },
    [say, complain],
  );
  return { act, isRunning };
}
