#include "agents/chain/plan/plan_branches.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace ptcvm::chain {

namespace {

using Indices = std::vector<std::size_t>;

// Returns before which steps a plan can be cut: every step from there on depends on every step before. `needs` has the
// dependencies of each step. A step whose last dependency is m has what follows m beside it, so it allows one cut at
// most: right behind m, when it depends on every step before that nothing there depends on.
std::vector<bool> cuts(std::vector<Indices> needs) {
  const std::size_t count = needs.size();
  Indices ends(count + 1), first_use(count, count);   // ends: how many steps before have no use before
  std::vector<std::ptrdiff_t> changes(count + 2);      // to the number of steps that are against a cut
  for (std::size_t at = 0; at < count; ++at) {
    Indices& on = needs[at];
    std::sort(on.begin(), on.end());
    on.erase(std::unique(on.begin(), on.end()), on.end());
    ends[at + 1] = ends[at] + 1;
    for (const std::size_t one : on) {
      if (first_use[one] != count) continue;
      first_use[one] = at;
      --ends[at + 1];
    }
    const std::size_t behind = on.empty() ? 0 : on.back() + 1;
    const auto joined = std::count_if(on.begin(), on.end(), [&](std::size_t one) { return first_use[one] >= behind; });
    const bool joins_all = static_cast<std::size_t>(joined) == ends[behind];
    ++changes[behind + (joins_all ? 1 : 0)];
    --changes[at + 1];
  }
  std::vector<bool> is_cut;
  std::ptrdiff_t against = 0;
  for (std::size_t at = 0; at < count; ++at) is_cut.push_back((against += changes[at]) == 0);
  return is_cut;
}

// Makes the groups of the steps that are not done.
class GroupMaker {
 public:
  GroupMaker(const Plan& plan, const std::vector<bool>& is_done) : plan_(plan), is_done_(is_done) {
    for (std::size_t i = 0; i < plan.steps.size(); ++i) place_of_.emplace(plan.steps[i].id, i);
  }

  std::vector<PlanGroup> groups() {
    std::vector<PlanGroup> groups;
    for (const Indices& stretch : stretches()) {
      std::vector<Indices> branches = branches_of(stretch);
      for (std::size_t at = 0; at < branches.size(); at += kWidestGroup) {
        const auto begin = branches.begin() + static_cast<std::ptrdiff_t>(at);
        const auto count = std::min(kWidestGroup, branches.size() - at);
        groups.push_back(placed({begin, begin + static_cast<std::ptrdiff_t>(count)}));
      }
    }
    return groups;
  }

 private:
  bool is_between(std::size_t step, std::size_t first, std::size_t end) const {
    return step >= first && step < end && !is_done_[step];
  }

  // Cuts the plan where every step behind depends on every step before: nothing else can be under way there.
  std::vector<Indices> stretches() const {
    Indices steps, place(plan_.steps.size());
    std::vector<Indices> needs;
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      if (is_done_[i]) continue;
      Indices& on = needs.emplace_back();
      for (const std::size_t step : plan_.steps[i].depends_on) {
        if (!is_done_[step]) on.push_back(place[step]);
      }
      place[i] = steps.size();
      steps.push_back(i);
    }
    std::vector<Indices> stretches;
    const std::vector<bool> is_cut = cuts(std::move(needs));
    for (std::size_t at = 0; at < steps.size(); ++at) {
      if (at == 0 || is_cut[at]) stretches.emplace_back();
      stretches.back().push_back(steps[at]);
    }
    return stretches;
  }

  // Returns the earlier steps from `first` on that the step depends on, or whose results it takes.
  Indices needed_by(std::size_t step, std::size_t first) const {
    Indices needed;
    const auto add = [&](std::size_t on) {
      if (is_between(on, first, step)) needed.push_back(on);
    };
    for (const std::size_t on : plan_.steps[step].depends_on) add(on);
    for (const std::string_view id : results_in(plan_.steps[step].args)) {
      if (const auto found = place_of_.find(id); found != place_of_.end()) add(found->second);
    }
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    return needed;
  }

  // A step follows the last step of a branch when it needs nothing outside of that branch. One that others wait for is
  // the first of its branch: its task is then open from the beginning, and they can wait for it. A cut there makes the
  // step before it one that is waited for. Each round but the last one cuts at least once.
  std::vector<Indices> branches_of(const Indices& stretch) const {
    std::map<std::size_t, Indices> needed;
    for (const std::size_t step : stretch) needed[step] = needed_by(step, stretch.front());
    std::set<std::size_t> firsts;
    for (;;) {
      std::vector<Indices> branches;
      std::map<std::size_t, std::size_t> branch_of;
      for (const std::size_t step : stretch) {
        const std::size_t home =
            firsts.contains(step) ? branches.size() : branch_to_follow(needed[step], branches, branch_of);
        if (home == branches.size()) branches.emplace_back();
        branch_of[step] = home;
        branches[home].push_back(step);
      }
      bool is_cut = false;
      for (auto at = stretch.rbegin(); at != stretch.rend(); ++at) {
        for (const std::size_t on : needed[*at]) {
          const bool is_apart = branch_of[on] != branch_of[*at] || firsts.contains(*at);
          if (is_apart && branches[branch_of[on]].front() != on) is_cut = firsts.insert(on).second || is_cut;
        }
      }
      if (!is_cut) return branches;
    }
  }

  // Returns the branch whose last step is needed and which has everything else that is, or the number of branches.
  static std::size_t branch_to_follow(const Indices& needed, const std::vector<Indices>& branches,
                                      const std::map<std::size_t, std::size_t>& branch_of) {
    if (needed.empty()) return branches.size();
    const std::size_t home = branch_of.at(needed.back());
    const bool is_alone = std::all_of(needed.begin(), needed.end(),
                                      [&](std::size_t on) { return branch_of.at(on) == home; });
    return is_alone && branches[home].back() == needed.back() ? home : branches.size();
  }

  PlanGroup placed(const std::vector<Indices>& branches) const {
    PlanGroup group;
    std::map<std::size_t, PlacedStep*> firsts;
    for (const Indices& branch : branches) {
      PlanBranch& made = group.emplace_back();
      for (const std::size_t step : branch) made.push_back({step});
    }
    for (PlanBranch& branch : group) {
      for (const std::size_t on : needed_by(branch.front().step, 0)) {
        const auto found = firsts.find(on);
        if (found == firsts.end()) continue;
        found->second->is_awaited = branch.front().waits = true;
      }
      firsts.emplace(branch.front().step, &branch.front());
    }
    return group;
  }

  const Plan& plan_;
  const std::vector<bool>& is_done_;
  std::map<std::string_view, std::size_t> place_of_;
};

}  // namespace

std::vector<PlanGroup> plan_groups(const Plan& plan, const std::vector<bool>& is_done, bool at_once) {
  if (at_once) return GroupMaker(plan, is_done).groups();
  std::vector<PlanGroup> groups;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (!is_done[i]) groups.push_back({{{i}}});
  }
  return groups;
}

}  // namespace ptcvm::chain
