// The longer words of chapter 9, which carry no number.

export const words = {
  nothing: "Nothing is selected, so there is no score to explain.",
  step_looked: "where it looked",
  step_rested: "what it rested on",
  step_trust: "how far to trust it",
  grid_says: "Each square is a head: stronger, more attention on the question's words.",
  strip_hint: "Point at a word, or move with the arrow keys: below the text how much this token " +
    "looked at each token, above it how much each token looked at this one. Enter pins, " +
    "Escape lets go.",
  beside_says: "Raw attention averages all heads; rollout multiplies the layers; gradient × " +
    "attention weighs each look by its effect on the target.",
  refining: ", the first picture; it is being refined.",
  lanes_says: "Start part above the words, end part below. Filled: supports the target; hollow: " +
    "speaks against it.",
  lanes_hint: "Point at a word, or move with the arrow keys; Enter selects.",
  coming_looked:
    "The reader is on its way. Then one square stands here for each of its heads, and the" +
    " text shows where that head looked from the marked words.",
  coming_rested:
    "The reader is on its way. Then a bar over or under each word says how much of the " +
    "score of the marked words rests on it.",
  trust_says: "Do the words that an explanation puts first matter more than words drawn blindly? " +
    "Mask them, mask random sets of as many words, and see where the drop stands.",
  dots: "Random sets by their drop of F; arrow keys move from one to the next",
  curves: "As more words are masked",
  curves_says: "The same random orders go on, with more and more of their words masked.",
  deletion: "Deletion: mask the top words",
  insertion: "Insertion: keep only the top words",
  in_tables: "The numbers of both curves, the same in probability, and the rank correlations of " +
    "the methods stand below, as tables.",
};
