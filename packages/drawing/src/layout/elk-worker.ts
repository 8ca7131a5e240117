// The script of the worker: it answers messages of `elk-api`.
// oxlint-disable-next-line import/no-unassigned-import -- It is a script and exports nothing.
import 'elkjs/lib/elk-worker.min.js';
