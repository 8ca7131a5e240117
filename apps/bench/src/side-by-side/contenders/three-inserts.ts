import pg from 'pg';
import { messageText, replyText } from '../../host/stage.ts';
import type { OpenContender } from '../contender.ts';

const connections = 50;

/**
 * The least that a turn can cost on Postgres: one inserted row for the message and one for the answer, each flushed before the
 * next step, and one for the receipt, which is not flushed. It has no state, no machine and no order.
 */
export const threeInserts: OpenContender = async ({ postgres }, deliver) => {
  const pool = new pg.Pool({ connectionString: postgres, max: connections });
  await pool.query('CREATE TABLE lines (id text, turn int, kind text, text text)');
  const insert = 'INSERT INTO lines VALUES ($1, $2, $3, $4)';
  return {
    turn: async (id, turn) => {
      const message = messageText(turn);
      await pool.query(insert, [id, turn, 'message', message]);
      const reply = replyText(message);
      await pool.query(insert, [id, turn, 'reply', reply]);
      deliver(id, reply);
      await pool.query(
        `WITH receipt AS (${insert}) SELECT set_config('synchronous_commit', 'off', true)`,
        [id, turn, 'receipt', ''],
      );
    },
    close: () => pool.end(),
  };
};
