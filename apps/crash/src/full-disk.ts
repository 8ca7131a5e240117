import { spawnSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Trouble } from './trouble.ts';

/** Why no disk can be filled here; undefined if one can. */
export function whyNoFullDisk(): string | undefined {
  if (process.platform !== 'linux') return 'A small disk is mounted as tmpfs, which needs Linux.';
  if (process.getuid?.() !== 0) return 'Mounting a small disk needs root.';
  const folder = '/proc/self/mounts';
  return spawnSync('mount', ['--version']).status === 0
    ? undefined
    : `There is no mount (${folder}).`;
}

const diskSize = '24m';

/** Mounts a small file system. @returns a function that unmounts it */
export function mountSmallDisk(folder: string): () => void {
  const { status, stderr } = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${diskSize}`,
    'dramaturg',
    folder,
  ]);
  if (status !== 0) throw new Error(`The disk could not be mounted: ${stderr.toString()}`);
  return () => void spawnSync('umount', ['--lazy', folder]);
}

/** Fills the disk of a host while it works, and empties it again. The host goes on by itself, or is killed on a full disk. */
export const fullDisk: Trouble = async ({ folder, chance, start, end, onProgress }, times) => {
  const ballast = join(folder, 'ballast');
  const counts = { 'went on by itself': 0, 'killed on a full disk': 0, 'opened on a full disk': 0 };
  let victim = start();
  for (let fill = 0; fill < times; fill += 1) {
    await victim.ready;
    await pause(chance.between(20, 200));
    fillDisk(ballast);
    await Promise.race([victim.ended, pause(chance.between(20, 300))]);
    const luck = chance.next();
    if (luck < 0.6) counts['went on by itself'] += 1;
    else {
      counts['killed on a full disk'] += 1;
      victim.kill();
      await end(victim);
      if (luck > 0.8) {
        counts['opened on a full disk'] += 1;
        victim = start();
        await Promise.race([victim.ready, victim.ended]);
      }
    }
    rmSync(ballast);
    if (victim.hasEnded) {
      await end(victim);
      victim = start();
    }
    onProgress(1);
  }
  await victim.ready;
  victim.kill();
  await end(victim);
  return { kinds: counts };
};

/** Writes until nothing fits, in blocks that get smaller. */
function fillDisk(file: string): void {
  for (let size = 1 << 20; size >= 1;) {
    try {
      appendFileSync(file, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      size >>= 2;
    }
  }
}
