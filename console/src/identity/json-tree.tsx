/** A JSON value as a tree, whose objects and arrays open and close. */
export function JsonTree({value}: {readonly value: unknown}) {
  return (
    <ul class="json-tree">
      {membersOf(value).map(([name, member]) => (
        <Member key={name} name={name} value={member} isOpen />
      ))}
    </ul>
  );
}

interface MemberProps {
  readonly name: string;
  readonly value: unknown;
  readonly isOpen: boolean;
}

function Member({name, value, isOpen}: MemberProps) {
  const members = membersOf(value);
  if (members.length === 0)
    return (
      <li class="json-member">
        <bdi class="json-name">{name}</bdi> <Scalar value={value} />
      </li>
    );
  const count = Array.isArray(value) ? `${members.length} elements` : `${members.length} members`;
  return (
    <li>
      <details open={isOpen}>
        <summary>
          <bdi class="json-name">{name}</bdi>{' '}
          <span class="quiet">{members.length === 1 ? count.slice(0, -1) : count}</span>
        </summary>
        <ul>
          {members.map(([each, member]) => (
            <Member key={each} name={each} value={member} isOpen={false} />
          ))}
        </ul>
      </details>
    </li>
  );
}

function Scalar({value}: {readonly value: unknown}) {
  const type = value === null ? 'null' : typeof value;
  return (
    <bdi class="json-value" data-type={type}>
      {JSON.stringify(value)}
    </bdi>
  );
}

function membersOf(value: unknown): readonly (readonly [name: string, value: unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
