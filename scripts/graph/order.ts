/** Which tasks a goal needs, in the order of the table, after checking that they can be ordered at all. */
import type { Task } from './task.ts';

/** The goals and all they need, each after what it needs. Throws on an unknown name and on a circle. */
export function order(tasks: readonly Task[], goals: readonly string[]): Task[] {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const ordered = new Set<Task>();
  const visit = (name: string, path: readonly string[]): void => {
    const task = byName.get(name);
    if (!task) throw new Error(`no task is called ${name}${path.length ? ` (${path.at(-1)} needs it)` : ''}`);
    if (path.includes(name)) throw new Error(`tasks in a circle: ${[...path, name].join(' -> ')}`);
    for (const need of task.needs) visit(need, [...path, name]);
    ordered.add(task);
  };
  for (const goal of goals) visit(goal, []);
  return [...ordered];
}
