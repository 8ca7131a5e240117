import { Worker } from 'node:worker_threads';
import jsonata from 'jsonata';
import { jsonataFunctions } from '../../src/data/jsonata/references.ts';

/** Hostile arguments, as expressions, by the letter of their type in a signature of the library. `$long` and others are variables. */
const values: Readonly<Record<string, readonly string[]>> = {
  n: `0 $minusZero -1 7 0.5 1.5e308 5e-324 9007199254740993 1e21 -1e300 1/0 -1/0 0%0 8.64e15 99999`.split(
    ' ',
  ),
  s: [
    ...`"" "a" "0" "0.00e0" "#,##0.00" "0,0,0" "e0" ".e0" "x" "#;0;0" "0%" "I" "A" "Ww" "w;o" "$0$1$9" "é💩" "%E0" "//8=" "SHA-1"`.split(
      ' ',
    ),
    ...`$long $lone $dates $commas "[Y,*-99999999]" "[Y9999999]" "[FNn][MNn][Y][D]" "[Y0001" "2026-01-20T10:30:00Z" "+99999999999"`.split(
      ' ',
    ),
    '"one hundred and twenty"',
  ],
  b: ['true', 'false'],
  o: [
    ...`{} $deep $wide {"zero-digit":""} {"zero-digit":0} {"grouping-separator":""} {"decimal-separator":""} {"pattern-separator":""}`.split(
      ' ',
    ),
    ...`{"digit":""} {"minus-sign":null} {"exponent-separator":""} {"percent":""}`.split(' '),
  ],
  a: `[] [0] $numbers $strings $nested $deep [1,"a",null] [1/0] [0..99999] [[0..999]] ["a","b"] $rows`.split(
    ' ',
  ),
  f: [
    ...`/a/ /a*/ /(a+)+$/ /(?=a)/ /[^b]{900}x/ $string $uuid $count $sort $map $f`.split(' '),
    'function($x){$x}',
    'function($x,$y){$x}',
    'function($x,$y,$z){$z}',
    'function($x,$y){true}',
    'function($x){{"match":"","start":0,"end":0,"groups":[],"next":$f}}',
    'function($x){{"match":"a","start":0}}',
    'function($x){{"match":"a","start":-1e300,"end":1e300,"groups":[1],"next":function(){5}}}',
  ],
};

/** What has no signature: operators and paths. */
const others =
  `$numbers^($) $strings^($,$) $rows{n:n} $rows{$string($):$} $deep.** $nested.** $deep.*.*.* $numbers[$] $rows@$r#$i.{"i":$i}
  $rows.n.% $deep=$deep $nested=$nested $long&$long $long=$lone $long in $strings -$numbers 1/0+1 {$deep:1} {$wide:1} [0..1e7] [1e15..1e16]
  $rows~>|$|{"self":$}| $wide~>|$|$$| $deep~>|**|{"x":1}| ($f:=function($x){$f($x)};$f(1)) ($g:=function($x){1+$g($x)};$g(1))
  ($p:=function($s,$n){$n=0?$s:$p($s&$s,$n-1)};$length($p("x",40))) $reduce([1..60],function($a,$i){[$a,$a]},1)
  $reduce([1..60],function($a,$i){{"l":$a,"r":$a}},{})=1 {$reduce([1..60],function($a,$i){{"l":$a,"r":$a}},{}):1}
  $string($reduce([1..60],function($a,$i){[$a,$a]},1)) $number($long) $$ $$.x $`
    .trim()
    .split(/\s+/);

/** Every function with hostile arguments of the types of its signature. @param most combinations of a function; drawn evenly when there are more */
export function hostileExpressions(most: number): readonly string[] {
  const calls = jsonataFunctions.flatMap((name) => {
    const pools = poolsOf(name);
    const counts = Array.from({ length: pools.length }, (_, at) => pools.slice(0, at + 1));
    const all = counts.map((used) => used.reduce((product, { length }) => product * length, 1));
    return counts.flatMap((used, at) => {
      const step = Math.max(Math.ceil((all[at]! * counts.length) / most), 1);
      // A step that has no factor in common with the pools leads through all of their values.
      return Array.from({ length: Math.ceil(all[at]! / step) }, (_, index) => {
        let rest = (index * step + (index % step)) % all[at]!;
        const args = used.map((pool) => {
          const chosen = pool[rest % pool.length]!;
          rest = Math.floor(rest / pool.length);
          return chosen;
        });
        return `$${name}(${args.join(', ')})`;
      });
    });
  });
  return [...new Set([...calls, ...others])];
}

function poolsOf(name: string): readonly (readonly string[])[] {
  const own: Record<string, string> = {
    partition: 'an',
    range: 'nnn',
    hash: 'xs',
    random: 'n',
    uuid: '',
    parse: 's',
  };
  const { signature } = (jsonata(`$${name}`).evaluate({}) ?? {}) as {
    signature?: { definition: string };
  };
  const types =
    own[name] ??
    signature!.definition
      .slice(1)
      .split(':')[0]!
      .replaceAll(/<[^<>]*>|[-?+]/g, '');
  return Array.from(types.matchAll(/\((\w+)\)|(\w)/g), ([, choice, one]) =>
    Array.from(choice ?? (one === 'x' || one === 'j' ? 'nsboaf' : one!)).flatMap(
      (type) => values[type]!,
    ),
  );
}

/** Sentences of the JavaScript engine, which say nothing to an author. */
export const engineSentence =
  /Cannot (read|convert|destructure|mix)|is not (a function|iterable|defined)|Invalid (count|array|string|time|regular)|Maximum call|toFixed|out of range:? digits|circular|Unexpected (token|end)/;

/** How an expression has ended. `endless`: it had not within the limit, so its process was ended. */
export interface Ended {
  readonly expression: string;
  readonly outcome: 'value' | 'failed' | 'thrown' | 'endless';
  readonly message?: string;
}

/**
 * Evaluates expressions in a thread that is ended when one of them takes too long.
 *
 * @param limitMs far above what any expression takes on a busy machine
 * @param units the budget of each expression; the usual one when left out
 */
export async function evaluateApart(
  expressions: readonly string[],
  limitMs: number,
  units?: number,
): Promise<readonly Ended[]> {
  const ended: Ended[] = [];
  while (ended.length < expressions.length) {
    const left = expressions.slice(ended.length);
    const worker = new Worker(new URL('hostile-worker.ts', import.meta.url), {
      workerData: { expressions: left, units },
      resourceLimits: { maxOldGenerationSizeMb: 1_500 },
    });
    await new Promise<void>((resolve) => {
      const stop = () => {
        ended.push({ expression: expressions[ended.length]!, outcome: 'endless' });
        resolve();
      };
      // It begins when the thread has loaded the sources, which it says with an empty list.
      let timer: NodeJS.Timeout | undefined;
      worker.on('message', (more: readonly Ended[]) => {
        ended.push(...more);
        clearTimeout(timer);
        timer = setTimeout(stop, limitMs);
        if (ended.length === expressions.length) resolve();
      });
      // It has used too much memory.
      worker.on('error', stop);
      resolve = ((done) => () => {
        clearTimeout(timer);
        done();
      })(resolve);
    });
    await worker.terminate();
  }
  return ended;
}
