/** A few choices of which one holds. */
export function ChoiceSwitch<K extends string>({
  label,
  choices,
  value,
  onChange,
}: {
  readonly label: string;
  readonly choices: Readonly<Record<K, string>>;
  readonly value: K;
  readonly onChange: (choice: K) => void;
}) {
  return (
    <fieldset class="switch">
      <legend class="unseen">{label}</legend>
      {/* The keys of a record of K are K. */}
      {(Object.keys(choices) as K[]).map((choice) => (
        <label key={choice}>
          <input
            type="radio"
            name={label}
            checked={choice === value}
            onChange={() => onChange(choice)}
          />
          {choices[choice]}
        </label>
      ))}
    </fieldset>
  );
}
