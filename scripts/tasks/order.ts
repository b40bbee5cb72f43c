/** Selects and orders the tasks of a goal. Checks that an order exists. */
import type { Task } from './task.ts';

/** The tasks that `starts` lead to, each after its dependencies. Throws on an unknown name and on a cycle. */
function walk(tasks: readonly Task[], starts: readonly string[], next: (task: Task) => readonly string[]): Task[] {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const ordered = new Set<Task>();
  const visit = (name: string, path: readonly string[]): void => {
    const task = byName.get(name);
    if (!task) throw new Error(`no task is called ${name}${path.length ? ` (${path.at(-1)} needs it)` : ''}`);
    if (path.includes(name)) throw new Error(`cyclic tasks: ${[...path, name].join(' -> ')}`);
    for (const other of next(task)) visit(other, [...path, name]);
    ordered.add(task);
  };
  for (const start of starts) visit(start, []);
  return [...ordered];
}

/** The goals and all their dependencies, each after its dependencies and after the tasks that go first. */
export function order(tasks: readonly Task[], goals: readonly string[]): Task[] {
  const names = new Set(walk(tasks, goals, ({ needs }) => needs).map(({ name }) => name));
  return walk(tasks, [...names], ({ needs, after = [] }) => [...needs, ...after.filter((name) => names.has(name))]);
}
